"""Three tools over an asynchronous client, and the runtime that dispatches them."""

from __future__ import annotations

from typing import Any, Final

from sagaproof import World
from sagaproof.saga import AsyncRuntime, AsyncSaga, CallableDesk, tool
from sagaproof_scenarios.keyed_api import AsyncKeyedApi

__all__ = ["recover", "start"]

SAGA: Final = "goodwill-9104"
_API: Final = AsyncKeyedApi()


def start(world: World) -> AsyncSaga:
    """A new saga."""
    return _runtime(world).start(SAGA)


async def recover(world: World) -> AsyncSaga:
    """The saga as its journal has it, in a new process."""
    return await _runtime(world).resume(SAGA)


def _runtime(world: World) -> AsyncRuntime:
    tools = [issue_credit, book, reply]
    return AsyncRuntime(tools, journal=world.journal, desk=CallableDesk(_API.open_case))


@tool(cls=4, ref="id", **_API.by_key("billing", "issue_credit"))
async def issue_credit(customer: str, amount: int, *, key: str) -> dict[str, Any]:
    """Credit a customer with an amount in cents."""
    body = {"customer": customer, "amount": amount, "reason": "goodwill"}
    return await _API.send("POST", "billing", "/credits", body, key)


@tool(cls=4, ref="id", **_API.by_key("ledger", "post_transfer"))
async def book(amount: int, *, key: str) -> dict[str, Any]:
    """Move an amount in cents from goodwill to receivables."""
    body = {"debit": "goodwill", "credit": "receivables", "amount": amount}
    return await _API.send("POST", "ledger", "/transfers", body, key)


@tool(cls=5, **_API.for_good("mail", "send"))
async def reply(to: str, text: str, *, key: str) -> dict[str, Any]:
    """Mail the customer. It is the last step, for nothing takes a mail back."""
    body = {"to": to, "subject": "A credit for you", "body": text}
    return await _API.send("POST", "mail", "/messages", body, key)
