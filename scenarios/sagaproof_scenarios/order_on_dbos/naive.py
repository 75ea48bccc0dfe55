"""The saga with two slips: an undo is registered when its step has succeeded, and is tried only once.

A step that failed for its caller may have been done all the same, and nobody takes it back then. And an undo
that fails once ends the workflow: DBOS keeps it as ERROR, and does not run it again.
"""

from __future__ import annotations

from dbos import DBOS

from sagaproof_scenarios.order_on_dbos.attempt import attempt, may_help
from sagaproof_scenarios.order_on_dbos.right import mail_of, reversible
from sagaproof_scenarios.order_on_dbos.steps import Step, do, now, read

__all__ = ["confirm_naively"]


@DBOS.step(should_retry=may_help)
def undo_once(step: Step) -> None:
    """Take a step back."""
    attempt("POST", step.undo_url)


@DBOS.workflow()
def confirm_naively(order: str) -> str:
    """Confirm an order, or take back what was done."""
    since = now()
    row = read("crm", f"/orders/{order}")
    contact = read("crm", f"/contacts/{row['contact']}")
    done: list[Step] = []
    try:
        for step in [*reversible(order, row, since), mail_of(order, contact["email"], since)]:
            do(step)
            done.append(step)
    except Exception:  # noqa: BLE001  # whatever it is
        for step in reversed(done):
            undo_once(step)
        return "compensated"
    return "completed"
