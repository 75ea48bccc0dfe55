"""The saga without keys, undone by the references that its calls returned.

DBOS does what it says: a step whose result is written is not run again. One whose call was made, and whose
result was not written yet, is run again. Without a key the service takes the second call for a new one.
"""

from __future__ import annotations

from dbos import DBOS

from sagaproof_scenarios.order_on_dbos.attempt import attempt, may_help
from sagaproof_scenarios.order_on_dbos.steps import FAILED, read

__all__ = ["confirm_without_keys"]


@DBOS.step()
def put_status(order: str, status: str) -> None:
    """Set the status of the order."""
    attempt("PUT", f"https://crm.test/orders/{order}/status", {"status": status})


@DBOS.step()
def draft(customer: str, total: int) -> str:
    """Draft the invoice and return its number."""
    return str(attempt("POST", "https://billing.test/invoices", {"customer": customer, "total": total})["id"])


@DBOS.step(retries_allowed=True, max_attempts=6, should_retry=may_help)
def delete(invoice: str) -> None:
    """Delete the draft."""
    attempt("DELETE", f"https://billing.test/invoices/{invoice}")


@DBOS.workflow()
def confirm_without_keys(order: str) -> str:
    """Draft the invoice of an order and confirm it, or take the draft back."""
    try:
        row = read("crm", f"/orders/{order}")
        invoice = draft(row["contact"], row["total"])
    except FAILED:  # the service is down: nothing was done
        return "refused"
    try:
        put_status(order, "confirmed")
    except FAILED:
        delete(invoice)
        return "compensated"
    return "completed"
