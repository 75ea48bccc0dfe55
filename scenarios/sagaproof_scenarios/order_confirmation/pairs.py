"""The saga as a list of (execute, compensate) pairs, in two variants that differ in how they unwind."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import httpx

__all__ = ["confirm_logging", "confirm_undoing_once"]

log = logging.getLogger(__name__)

State: TypeAlias = dict[str, Any]
Action: TypeAlias = Callable[[httpx.Client, State], None]


def confirm_order(http: httpx.Client, state: State) -> None:
    """Confirm the order."""
    _send(http, "PUT", f"https://crm.test/orders/{state['order']}/status", {"status": "confirmed"})


def unconfirm_order(http: httpx.Client, state: State) -> None:
    """Put the order back to pending."""
    _send(http, "PUT", f"https://crm.test/orders/{state['order']}/status", {"status": "pending"})


def draft_invoice(http: httpx.Client, state: State) -> None:
    """Draft an invoice over the total of the order."""
    body = {"customer": state["customer"], "total": state["total"]}
    state["invoice"] = _send(http, "POST", "https://billing.test/invoices", body)["id"]


def delete_invoice(http: httpx.Client, state: State) -> None:
    """Delete the draft."""
    _send(http, "DELETE", f"https://billing.test/invoices/{state['invoice']}")


def mail_customer(http: httpx.Client, state: State) -> None:
    """Tell the customer."""
    body = {"to": state["email"], "subject": "Confirmed", "body": f"Order {state['order']} is confirmed."}
    _send(http, "POST", "https://mail.test/messages", body)


PAIRS: tuple[tuple[Action, Action | None], ...] = (
    (confirm_order, unconfirm_order),
    (draft_invoice, delete_invoice),
    (mail_customer, None),
)


def confirm_logging(order: str) -> None:
    """Confirm an order; on failure undo what was done, log an undo that fails, raise the first error."""
    with httpx.Client(timeout=5.0) as http:
        state = _read(http, order)
        done: list[Action] = []
        try:
            for execute, compensate in PAIRS:
                execute(http, state)
                if compensate is not None:
                    done.append(compensate)
        except Exception:
            for compensate in reversed(done):
                try:
                    compensate(http, state)
                except Exception:
                    log.exception("could not undo %s", compensate.__name__)  # and nobody reads it
            raise


def confirm_undoing_once(order: str) -> str | None:
    """Confirm an order; on failure undo with retries, which take 'it is gone already' for a failure."""
    with httpx.Client(timeout=5.0) as http:
        state = _read(http, order)
        done: list[Action] = []
        try:
            for execute, compensate in PAIRS:
                if compensate is not None:
                    done.append(compensate)
                execute(http, state)
        except (httpx.HTTPError, ValueError):
            for compensate in reversed(done):
                _with_retries(compensate, http, state)
            return "compensated"
    return None


def _with_retries(action: Action, http: httpx.Client, state: State, attempts: int = 3) -> None:
    for attempt in range(attempts):
        try:
            action(http, state)
        except httpx.HTTPError:
            if attempt == attempts - 1:
                raise
            time.sleep(1.0)
        else:
            return


def _read(http: httpx.Client, order: str) -> State:
    row = _send(http, "GET", f"https://crm.test/orders/{order}")
    contact = _send(http, "GET", f"https://crm.test/contacts/{row['contact']}")
    return {"order": order, "customer": contact["id"], "email": contact["email"], "total": row["total"]}


def _send(http: httpx.Client, method: str, url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    response = http.request(method, url, json=body)
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer
