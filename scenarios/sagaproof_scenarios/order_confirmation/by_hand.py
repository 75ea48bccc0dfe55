"""The saga made right by hand: keys, undo by key, a pivot, a desk.

Every write carries a key that the order determines. What has to be undone is undone by that key, so that a
lost answer needs no guess and a write that is still on its way is fenced off. The mail comes last, since it
cannot be taken back. What cannot be settled is told to the desk, with all that a person needs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import httpx

from sagaproof_scenarios.order_confirmation.calls import Call, Result, send

__all__ = ["confirm_by_hand"]


@dataclass
class Step:
    """A step and what became of it: open, done, refused, unknown, undone, left. `at` is when it was made."""

    name: str
    call: Call
    undo_url: str
    state: str = "open"
    error: str = ""
    at: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108  # looked up when called


@dataclass
class Run:
    """One confirmation: its steps so far and the error that started the unwind."""

    order: str
    steps: list[Step] = field(default_factory=list)
    cause: str = ""


def confirm_by_hand(order: str) -> str:
    """Confirm an order and say how it ended: completed, compensated, escalated or refused."""
    with httpx.Client(timeout=5.0) as http:
        run = Run(order)
        row = send(http, Call("GET", f"https://crm.test/orders/{order}"))
        contact = send(http, Call("GET", f"https://crm.test/contacts/{row.body.get('contact')}"))
        if row.outcome != "done" or contact.outcome != "done":
            return "refused"
        if all(_do(http, run, step) for step in _reversible(order, row.body)):
            return _pivot(http, run, contact.body["email"])
        return _unwind(http, run)


def _reversible(order: str, row: dict[str, Any]) -> list[Step]:
    status_key, invoice_key = f"{order}-status", f"{order}-invoice"
    invoice = {"customer": row["contact"], "total": row["total"]}
    return [
        Step(
            "set_order_status",
            Call("PUT", f"https://crm.test/orders/{order}/status", {"status": "confirmed"}, status_key),
            f"https://crm.test/operations/set_order_status/{status_key}/undo",
        ),
        Step(
            "create_invoice",
            Call("POST", "https://billing.test/invoices", invoice, invoice_key),
            f"https://billing.test/operations/create_invoice/{invoice_key}/undo",
        ),
    ]


def _do(http: httpx.Client, run: Run, step: Step) -> bool:
    run.steps.append(step)
    _settle(run, step, send(http, step.call))
    return step.state == "done"


def _settle(run: Run, step: Step, result: Result) -> None:
    step.state, step.error = result.outcome, result.error
    if result.outcome != "done":
        run.cause = run.cause or f"{step.name}: {result.error}"


def _pivot(http: httpx.Client, run: Run, email: str) -> str:
    """Send the mail. If it is unknown whether it went out, a request to cancel it is what tells."""
    key = f"{run.order}-mail"
    body = {"to": email, "subject": "Confirmed", "body": f"Order {run.order} is confirmed."}
    mail = Step(
        "send",
        Call("POST", "https://mail.test/messages", body, key),
        f"https://mail.test/operations/send/{key}/undo",
    )
    if _do(http, run, mail):
        return "completed"
    if mail.state == "refused":
        return _unwind(http, run)
    cancelled = send(http, Call("POST", mail.undo_url), since=mail.at)
    if cancelled.outcome == "done":
        mail.state = "undone"
        return _unwind(http, run)
    if _code(cancelled) == "irreversible":
        return "completed"  # it had gone out: the only thing lost was the answer
    return _escalate(http, run)


def _unwind(http: httpx.Client, run: Run) -> str:
    """Undo newest first, each with retries of its own; go on after one that fails, and name it."""
    for step in reversed(run.steps):
        if step.state in {"done", "unknown"}:
            result = send(http, Call("POST", step.undo_url), attempts=6, since=step.at)
            step.state, step.error = ("undone", "") if _is_undone(result) else ("left", result.error)
    left = [step for step in run.steps if step.state == "left"]
    return _escalate(http, run) if left else "compensated"


def _is_undone(result: Result) -> bool:
    """Whether an undo is known to have worked: also if an earlier attempt did it and its answer was lost."""
    return result.outcome == "done" or (result.outcome == "unknown" and _code(result) in _ALREADY)


_ALREADY = {"already_deleted", "already_void", "not_found"}


def _code(result: Result) -> str:
    error = result.body.get("error")
    return str(error.get("code")) if isinstance(error, dict) else ""


def _escalate(http: httpx.Client, run: Run) -> str:
    steps = [
        {"operation": s.name, "key": s.call.key, "body": s.call.body, "state": s.state, "error": s.error}
        for s in run.steps
    ]
    package = {
        "order": run.order,
        "cause": run.cause,
        "steps": steps,
        "next": "settle every step that is left or unknown",
    }
    case = Call(
        "POST",
        "https://desk.test/cases",
        {"title": f"Order {run.order} could not be settled", "package": package},
        f"{run.order}-case",
    )
    told = send(http, case, attempts=8)
    if told.outcome != "done":
        msg = f"the desk cannot be reached ({told.error}); {package}"
        raise RuntimeError(msg)
    return "escalated"
