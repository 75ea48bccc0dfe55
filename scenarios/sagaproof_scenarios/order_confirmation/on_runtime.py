"""The saga made right on the runtime, driven by code of its own and not by an agent."""

from __future__ import annotations

from typing import Any, Final

from sagaproof import World
from sagaproof.saga import CallableDesk, Ending, Retry, Runtime, Saga, tool
from sagaproof_scenarios.keyed_api import KeyedApi

__all__ = ["confirm"]

_API: Final = KeyedApi()


def confirm(world: World, order: str) -> Ending:
    """Confirm an order, or go on where a dead process stopped: what was answered is not done again."""
    tools = [read_order, set_status, draft_invoice, mail]
    runtime = Runtime(tools, journal=world.journal, desk=CallableDesk(_API.open_case))
    return _go_through(runtime.resume(f"order-{order}"), order)


def _go_through(saga: Saga, order: str) -> Ending:
    read = saga.call("read_order", {"order": order}, "read")
    if not read.ok:
        return saga.give_up(read.error)
    steps: list[tuple[str, dict[str, Any]]] = [
        ("set_status", {"order": order, "status": "confirmed"}),
        ("draft_invoice", {"customer": read.value["contact"], "total": read.value["total"]}),
        ("mail", {"to": read.value["email"], "order": order}),
    ]
    for name, args in steps:
        result = saga.call(name, args, name)
        if not result.ok:
            return saga.give_up(f"{name}: {result.error}")
    return saga.finish()


@tool(cls=1)
def read_order(order: str) -> dict[str, Any]:
    """Read an order, with the address of its customer."""
    row = _API.get("crm", f"/orders/{order}")
    return {**row, "email": _API.get("crm", f"/contacts/{row['contact']}")["email"]}


@tool(cls=3, **_API.by_key("crm", "set_order_status"))
def set_status(order: str, status: str, *, key: str) -> dict[str, Any]:
    """Set the status of an order."""
    return _API.send("PUT", "crm", f"/orders/{order}/status", {"status": status}, key)


@tool(cls=3, ref="id", retry=Retry(attempts=3), **_API.by_key("billing", "create_invoice"))
def draft_invoice(customer: str, total: int, *, key: str) -> dict[str, Any]:
    """Draft an invoice over a total in cents."""
    return _API.send("POST", "billing", "/invoices", {"customer": customer, "total": total}, key)


@tool(cls=5, **_API.for_good("mail", "send"))
def mail(to: str, order: str, *, key: str) -> dict[str, Any]:
    """Tell the customer. It is the last step, for nothing takes a mail back."""
    body = {"to": to, "subject": "Confirmed", "body": f"Order {order} is confirmed."}
    return _API.send("POST", "mail", "/messages", body, key)
