"""What billing keeps, and how its parts find and show it; the operations are in the modules beside it."""

from __future__ import annotations

from typing import Any

from sagaproof import Refusal, Table
from sagaproof_fakes._money import is_currency
from sagaproof_fakes._records import STAMPS, Records, Row
from sagaproof_fakes.billing import _state

__all__ = ["Books", "invoice_view", "known_currency", "payment_view"]


class Books(Records):
    """The tables of billing. Which rows count as gone is the service's own equivalence.

    Refund and reversal lines stay for ever and never count by themselves: what they took back does.
    """

    name = "billing"
    sends = ("payment.captured", "payment.refunded", "invoice.paid")

    customers = Table(gone={"status": ("deleted",)}, volatile=STAMPS)
    invoices = Table(gone={"status": ("void", "deleted")}, volatile=STAMPS)
    payments = Table(gone={"status": ("void", "refunded")}, volatile=(*STAMPS, "captures"))
    refunds = Table(gone={"kind": ("refund",)}, volatile=STAMPS)
    batches = Table(gone={"status": ("reversed",)}, volatile=STAMPS)
    credits = Table(gone={"status": ("reversed",), "kind": ("reversal",)}, volatile=STAMPS)

    def _customer(self, customer: str) -> Row:
        row = self._find(self.customers, customer)
        if row["status"] == "deleted":
            raise Refusal(404, "not_found", f"billing: customer {customer!r} has been deleted")
        return row

    def _currency(self, customer: Row, currency: str | None) -> str:
        """The currency of what is booked for a customer: theirs, and no other."""
        own = str(customer["currency"])
        if currency is not None and currency.lower() != own:
            raise Refusal(
                422, "currency_mismatch", f"{customer['id']} is billed in {own!r}, not {currency!r}"
            )
        return own

    def _new_payment(
        self,
        customer: str,
        amount: int,
        currency: str | None,
        *,
        wanted_id: str | None = None,
        invoice: str | None = None,
        reference: str | None = None,
        reusable: bool = False,
    ) -> Row:
        """A payment that is authorized and no more; not written yet."""
        owner = self._customer(customer)
        return {
            "authorized": _state.positive(amount, "amount"),
            "currency": self._currency(owner, currency),
            "id": self._new_id(self.payments, "pay", wanted_id),
            "status": "authorized",
            "customer": customer,
            "captured": 0,
            "refunded": 0,
            "captures": 0,
            "invoice": invoice,
            "reference": reference,
            "reusable": reusable,
        }

    def _credited(self, invoice: str) -> int:
        """What stands as credit on an invoice."""
        return sum(
            row["amount"] for row in self._credit_lines(invoice=invoice) if row["status"] != "reversed"
        )

    def _credit_lines(self, **fields: str) -> list[Row]:
        return self.credits.where(kind="credit", **fields)


def known_currency(currency: str) -> str:
    """The code in lower case, as billing keeps it, if it has the form of one."""
    code = currency.lower()
    if not is_currency(code):
        raise Refusal(422, "invalid_currency", f"{currency!r} is no currency: three letters, such as 'usd'")
    return code


def invoice_view(row: Row) -> dict[str, Any]:
    """An invoice as answers show it."""
    return {**row, "amount_remaining": row["total"] - row["amount_paid"]}


def payment_view(row: Row) -> dict[str, Any]:
    """A payment as answers show it; `amount` is what was captured, before that what is authorized."""
    return {**row, "amount": row["captured"] or row["authorized"]}
