"""The story with a person who answers: what was decided about a case is carried out by the runtime."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from sagaproof import World
from sagaproof.saga import CallableDesk, Case, Decision, DecisionRefused, Retry, Runtime, Saga, tool
from sagaproof_scenarios.keyed_api import KeyedApi

__all__ = ["recover", "start"]

SAGA: Final = "goodwill-9105"
_API: Final = KeyedApi()
_TWICE: Final = Retry(attempts=2)
"""So few that a service which is down for a while is handed to a person, and is up again when they answer."""


def start(world: World) -> Saga:
    """A new saga, and somebody who listens for what the desk decides."""
    return _runtime(world).start(SAGA)


def recover(world: World) -> Saga:
    """The saga as its journal has it, in a new process, which listens too."""
    return _runtime(world).resume(SAGA)


def _runtime(world: World) -> Runtime:
    tools = [issue_credit, reply, set_priority]
    runtime = Runtime(tools, journal=world.journal, desk=CallableDesk(_API.open_case))

    def on_resolved(event: dict[str, Any]) -> None:
        """Carry out what was decided about a case. An event may come late, twice, and after another one."""
        row = event["data"]
        case = Case.from_json(row["package"])
        with suppress(DecisionRefused):
            runtime.decide(SAGA, _decision(case, row["resolution"]), by="desk", case=case.number)

    world.on_event(on_resolved, "case.resolved")
    return runtime


def _decision(case: Case, resolution: str) -> Decision:
    """What the desk said, in the words of the runtime: to settle it is to go on where that can be done.

    What has failed again, or was refused for good, is left as it is: once more would be refused once more.
    """
    possible = {choice.name: choice for choice in case.choices if choice.is_possible}
    is_refused = any(step.owed and step.outcome == "failed, not applied" for step in case.steps)
    if resolution != "settle" or case.number > 1 or is_refused:
        return Decision.accept(resolution)
    if "go on" in possible:
        return Decision.go_on()
    if "retry" in possible and not possible["retry"].needs_anyway:
        return Decision.retry()
    return Decision.accept(resolution)


@tool(cls=4, ref="id", retry=_TWICE, undo_retry=_TWICE, **_API.by_key("billing", "issue_credit"))
def issue_credit(customer: str, amount: int, *, key: str) -> dict[str, Any]:
    """Credit a customer with an amount in cents."""
    body = {"customer": customer, "amount": amount, "reason": "goodwill"}
    return _API.send("POST", "billing", "/credits", body, key)


@tool(cls=5, **_API.for_good("mail", "send"))
def reply(to: str, text: str, *, key: str) -> dict[str, Any]:
    """Mail the customer. Nothing takes a mail back."""
    body = {"to": to, "subject": "A credit for you", "body": text}
    return _API.send("POST", "mail", "/messages", body, key)


@tool(cls=2, retry=_TWICE)
def set_priority(ticket: str, priority: str, *, key: str) -> dict[str, Any]:
    """Set the priority of a ticket: once more does no harm."""
    return _API.send("PUT", "crm", f"/tickets/{ticket}/priority", {"priority": priority}, key)
