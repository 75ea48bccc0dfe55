"""A dispatcher that an agent calls tool by tool: it keeps a stack of undos and unwinds it on failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from sagaproof_scenarios.credit_ticket_reply.services import Services

__all__ = ["LatePush"]


class LatePush:
    """Pushes the undo of a call when its answer has come: an answer that is lost leaves no undo behind."""

    def __init__(self) -> None:
        self._services = Services()
        self._undos: list[Callable[[], Any]] = []
        self._failed: list[str] = []

    def call(self, tool: str, args: dict[str, Any], _call_id: str) -> Any:
        """Run a tool of the agent."""
        run: Callable[..., Any] = getattr(self, f"_{tool}")
        return run(**args)

    def finish(self) -> str:
        """The agent is done."""
        self._services.__exit__()
        return "completed"

    def give_up(self) -> str:
        """Unwind: newest first, each undo tried once; what fails is only written down."""
        for undo in reversed(self._undos):
            try:
                undo()
            except (httpx.HTTPError, ValueError) as error:
                self._failed.append(str(error))
        self._services.__exit__()
        return "compensated"

    def _read_order(self, order: str) -> dict[str, Any]:
        row = self._services.order(order)
        return {**row, "email": self._services.email(row["contact"])}

    def _issue_credit(self, customer: str, amount: int, order: str) -> dict[str, Any]:
        credit = self._services.issue_credit(customer, amount, order)
        self._undos.append(lambda: self._services.reverse_credit(credit["id"]))
        return credit

    def _set_status(self, ticket: str, status: str) -> dict[str, Any]:
        before = self._services.ticket(ticket)["status"]
        row = self._services.set_status(ticket, status)
        self._undos.append(lambda: self._services.set_status(ticket, before))
        return row

    def _reply(self, to: str, subject: str, text: str) -> dict[str, Any]:
        return self._services.mail(to, subject, text)
