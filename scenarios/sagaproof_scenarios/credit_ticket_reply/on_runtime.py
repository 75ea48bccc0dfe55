"""The saga made right on the runtime: tools with their undos, and a dispatcher that the agent calls."""

from __future__ import annotations

from typing import Any, Final

from sagaproof import World
from sagaproof.saga import CallableDesk, Found, Runtime, Saga, Step, tool
from sagaproof_scenarios.keyed_api import KeyedApi

__all__ = ["recover", "start"]

SAGA: Final = "ticket-9104"
_API: Final = KeyedApi()


def start(world: World) -> Saga:
    """A new saga."""
    return _runtime(world).start(SAGA)


def recover(world: World) -> Saga:
    """The saga as its journal has it, in a new process."""
    return _runtime(world).resume(SAGA)


def _runtime(world: World) -> Runtime:
    tools = [read_order, issue_credit, set_status, reply]
    return Runtime(tools, journal=world.journal, desk=CallableDesk(_API.open_case))


@tool(cls=1)
def read_order(order: str) -> dict[str, Any]:
    """Read an order, with the address of its customer."""
    row = _API.get("crm", f"/orders/{order}")
    return {**row, "email": _API.get("crm", f"/contacts/{row['contact']}")["email"]}


def _credit_stands(step: Step) -> bool:
    credit = step.ref
    if credit is None:
        seen = _API.lookup("billing", "issue_credit", step)
        if not isinstance(seen, Found):
            return False
        credit = seen.answer["id"]
    return bool(_API.get("billing", f"/credits/{credit}")["status"] != "reversed")


@tool(cls=4, ref="id", still_stands=_credit_stands, **_API.by_key("billing", "issue_credit"))
def issue_credit(customer: str, amount: int, order: str, *, key: str) -> dict[str, Any]:
    """Credit a customer with an amount in cents."""
    body = {"customer": customer, "amount": amount, "reference": order}
    return _API.send("POST", "billing", "/credits", body, key)


@tool(cls=3, **_API.by_key("crm", "set_ticket_status"))
def set_status(ticket: str, status: str, *, key: str) -> dict[str, Any]:
    """Set the status of a ticket."""
    return _API.send("PUT", "crm", f"/tickets/{ticket}/status", {"status": status}, key)


@tool(cls=5, **_API.for_good("mail", "send"))
def reply(to: str, subject: str, text: str, *, key: str) -> dict[str, Any]:
    """Mail the customer. It is the last step, for nothing takes a mail back."""
    return _API.send("POST", "mail", "/messages", {"to": to, "subject": subject, "body": text}, key)
