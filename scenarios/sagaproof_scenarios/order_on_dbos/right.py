"""The saga made right as a workflow of DBOS: its `try` and `except` are the compensation stack.

A workflow that is run again after a crash gets from the database what its steps returned or raised, and so
comes to the same place with the same stack. No undo is registered too late, since a step is on the stack
before it is made; it is undone by its key, which a service takes for 'never let it come' if it has not.
"""

from __future__ import annotations

from typing import Any

from dbos import DBOS

from sagaproof_scenarios.order_on_dbos.steps import FAILED, Step, do, now, read, tell_desk, undo, withdraw

__all__ = ["confirm_on_dbos", "mail_of", "reversible"]


@DBOS.workflow()
def confirm_on_dbos(order: str) -> str:
    """Confirm an order and say how it ended: completed, compensated, escalated or refused."""
    since = now()
    try:
        row = read("crm", f"/orders/{order}")
        contact = read("crm", f"/contacts/{row['contact']}")
    except FAILED:
        return "refused"
    mail = mail_of(order, contact["email"], since)
    stack: list[Step] = []
    try:
        for step in reversible(order, row, since):
            stack.append(step)
            do(step)
    except FAILED as error:  # refused, or out of attempts: the key settles which
        return _unwind(order, stack, f"{stack[-1].operation}: {error}")
    return _pivot(order, stack, mail)


def reversible(order: str, row: dict[str, Any], since: float) -> list[Step]:
    """The steps that can be taken back. A step that is run again has the same key as before."""
    status, invoice = {"status": "confirmed"}, {"customer": row["contact"], "total": row["total"]}
    path, saga = f"/orders/{order}/status", DBOS.workflow_id
    return [
        Step("crm", "set_order_status", "PUT", path, status, f"{saga}-status", since),
        Step("billing", "create_invoice", "POST", "/invoices", invoice, f"{saga}-invoice", since),
    ]


def mail_of(order: str, email: str, since: float) -> Step:
    """The step that nothing takes back."""
    body = {"to": email, "subject": "Confirmed", "body": f"Order {order} is confirmed."}
    return Step("mail", "send", "POST", "/messages", body, f"{DBOS.workflow_id}-mail", since)


def _pivot(order: str, stack: list[Step], mail: Step) -> str:
    """Send the mail. If it is unknown whether it went out, a request to withdraw it is what tells."""
    try:
        do(mail)
    except FAILED as error:  # refused, or out of attempts
        cause = f"send: {error}"
    else:
        return "completed"
    try:
        withdrawn = withdraw(mail)
    except FAILED as error:  # neither sent nor withdrawn, as far as anybody knows
        return _escalate(order, cause, [(mail, f"unknown: {error}")], stack)
    return _unwind(order, stack, cause) if withdrawn else "completed"


def _unwind(order: str, stack: list[Step], cause: str) -> str:
    """Undo newest first; go on after one that fails, and name it."""
    left: list[tuple[Step, str]] = []
    for step in reversed(stack):
        try:
            undo(step)
        except FAILED as error:  # a person has to see to it
            left.append((step, f"left: {error}"))
    return _escalate(order, cause, left, stack) if left else "compensated"


def _escalate(order: str, cause: str, left: list[tuple[Step, str]], stack: list[Step]) -> str:
    states = {step.key: state for step, state in left}
    steps = [
        {"operation": s.operation, "key": s.key, "body": s.body, "state": states.get(s.key, "done or undone")}
        for s in [*stack, *(step for step, _ in left if step not in stack)]
    ]
    package = {
        "order": order,
        "cause": cause,
        "steps": steps,
        "next": "settle each step that is left or unknown",
    }
    tell_desk(f"Order {order} could not be settled", package, f"{DBOS.workflow_id}-case")
    return "escalated"
