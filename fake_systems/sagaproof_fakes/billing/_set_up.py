"""Set-up of billing by Python: what is there before a run, and what other people do meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sagaproof.errors import UsageError, suggest
from sagaproof_fakes._money import Money, exponent, minor
from sagaproof_fakes._people import person
from sagaproof_fakes._records import Row
from sagaproof_fakes.billing import _state
from sagaproof_fakes.billing._books import invoice_view, payment_view
from sagaproof_fakes.billing._credit_batches import CreditBatches
from sagaproof_fakes.billing._customers import Customers
from sagaproof_fakes.billing._payments import Payments

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["SetUp"]

_INVOICES = ("draft", "open", "paid", "uncollectible")
_PAYMENTS = ("authorized", "captured")


class SetUp(Customers, Payments, CreditBatches):
    """Methods that are no operations: no call reaches them, and a run does not have to undo what they do.

    Each returns the row. Amounts are text ("2500.00"), `Decimal`, or an int of minor units. Without
    `customer` the first one is meant; if there is none, one is made up.
    """

    def add_customer(
        self,
        id: str | None = None,  # noqa: A002  # what everyone calls it
        *,
        name: str | None = None,
        email: str | None = None,
        currency: str = "usd",
    ) -> dict[str, Any]:
        """Have a customer. A name or address that is left out is made up, the same in every run."""
        exponent(currency)
        made_up = person(len(self.customers) + 1)
        row = {
            "id": self._new_id(self.customers, "cus", id),
            "status": "active",
            "name": name or made_up.name,
            "email": email or made_up.email,
            "currency": currency.lower(),
            "reference": None,
        }
        return dict(self._insert(self.customers, row))

    def add_invoice(
        self,
        id: str | None = None,  # noqa: A002
        *,
        customer: str | None = None,
        total: Money = "100.00",
        status: str = "open",
        reference: str | None = None,
    ) -> dict[str, Any]:
        """Have an invoice: draft, open, paid (with the payment that paid it) or uncollectible."""
        _one_of(status, _INVOICES, "the status of an invoice")
        owner = self._owner(customer)
        row: Row = {
            "id": self._new_id(self.invoices, "in", id),
            "status": "draft" if status == "draft" else "open",
            "customer": owner["id"],
            "total": _amount(total, owner["currency"]),
            "amount_paid": 0,
            "currency": owner["currency"],
            "number": None if status == "draft" else self._number(),
            "description": None,
            "reference": reference,
        }
        if status == "uncollectible":
            row = {**row, **_state.write_off(row)}
        row = self._insert(self.invoices, row)
        if status == "paid":
            self.pay_invoice(invoice_id=row["id"])
        return invoice_view(self.invoices[row["id"]])

    def add_payment(
        self,
        id: str | None = None,  # noqa: A002
        *,
        customer: str | None = None,
        amount: Money = "100.00",
        status: str = "captured",
        reference: str | None = None,
    ) -> dict[str, Any]:
        """Have a payment: captured, or authorized (and reusable: a refunded capture gives it back)."""
        _one_of(status, _PAYMENTS, "the status of a payment")
        owner = self._owner(customer)
        row = self._new_payment(
            owner["id"],
            _amount(amount, owner["currency"]),
            None,
            wanted_id=id,
            reference=reference,
            reusable=status == "authorized",
        )
        if status == "captured":
            row = {**row, **_state.capture(row, None)}
        return payment_view(self._insert(self.payments, row))

    def add_credit(
        self,
        id: str | None = None,  # noqa: A002
        *,
        customer: str | None = None,
        amount: Money = "100.00",
        invoice: str | None = None,
        reference: str | None = None,
    ) -> dict[str, Any]:
        """Have a credit that was issued earlier, on an invoice if one is named."""
        owner = self._owner(customer)
        if invoice is not None and invoice not in self.invoices:
            raise UsageError(
                f"billing has no invoice {invoice!r}",
                advice=suggest(invoice, self.invoices) or "Add it first: billing.add_invoice(...).",
            )
        row = self._new_credit(
            owner,
            _amount(amount, owner["currency"]),
            wanted_id=id,
            invoice=invoice,
            reference=reference,
        )
        return dict(self._insert(self.credits, row))

    def _customer_credited(self, effect: Effect) -> None:
        self.add_credit(customer=str(effect.ref), amount="1.00")

    def _owner(self, customer: str | None) -> Row:
        if customer is None:
            return next(iter(self.customers.rows.values()), None) or self.add_customer()
        row = self.customers.get(customer)
        if row is None:
            raise UsageError(
                f"billing has no customer {customer!r}",
                advice=suggest(customer, self.customers) or "Add it first: billing.add_customer(...).",
            )
        return row


def _amount(amount: Money, currency: str) -> int:
    units = minor(amount, currency)
    if units <= 0:
        raise UsageError(f"{amount!r} is no amount to bill", advice="Use one above zero.")
    return units


def _one_of(value: str, known: tuple[str, ...], what: str) -> None:
    if value not in known:
        raise UsageError(f"{value!r} is not {what}", advice=suggest(value, known))
