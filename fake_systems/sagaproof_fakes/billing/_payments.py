"""Payments: authorize and capture, charge at once, pay an invoice, void, refund."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sagaproof import operation
from sagaproof_fakes._records import Row
from sagaproof_fakes.billing import _state
from sagaproof_fakes.billing._books import invoice_view, payment_view
from sagaproof_fakes.billing._customers import matches
from sagaproof_fakes.billing._invoices import Invoices

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Payments"]


class Payments(Invoices):
    """The operations on payments; those of invoices are below, since payments settle them."""

    @operation(
        cls=3,
        route="POST /authorizations",
        status=201,
        ref="id",
        amount="amount",
        meanwhile={"meddled": "_payment_referred", "consumed": "_payment_captured"},
    )
    def authorize_payment(
        self,
        *,
        customer: str,
        amount: int,
        currency: str | None = None,
        reference: str | None = None,
        reusable: bool = False,
    ) -> dict[str, Any]:
        """Reserve money of the customer's. A `reusable` one is as before once its capture is refunded."""
        row = self._new_payment(customer, amount, currency, reference=reference, reusable=reusable)
        return payment_view(self._insert(self.payments, row))

    @operation(
        cls=3,
        route="POST /payments/{payment_id}/void",
        ref="payment_id",
        amount="amount",
        undoes="authorize_payment",
    )
    def void_payment(self, *, payment_id: str) -> dict[str, Any]:
        """Release an authorization, or close a payment that was refunded in full."""
        row = self._find(self.payments, payment_id)
        return payment_view(self._update(self.payments, row, _state.void_payment(row)))

    @operation(
        cls=4,
        route="POST /payments/{payment_id}/capture",
        ref="payment_id",
        amount="amount",
        meanwhile={"meddled": "_payment_refunded_in_part", "consumed": "_payment_refunded"},
    )
    def capture_payment(self, *, payment_id: str, amount: int | None = None) -> dict[str, Any]:
        """Take what was authorized, or a part of it; the rest is released."""
        row = self._find(self.payments, payment_id)
        return self._captured(self._update(self.payments, row, _state.capture(row, amount)))

    @operation(
        cls=4,
        route="POST /payments",
        status=201,
        ref="id",
        amount="amount",
        meanwhile={"meddled": "_payment_refunded_in_part", "consumed": "_payment_refunded"},
    )
    def charge(
        self, *, customer: str, amount: int, currency: str | None = None, reference: str | None = None
    ) -> dict[str, Any]:
        """Take money from the customer at once: authorized and captured in one."""
        row = self._new_payment(customer, amount, currency, reference=reference)
        return self._captured(self._insert(self.payments, {**row, **_state.capture(row, None)}))

    @operation(
        cls=4,
        route="POST /invoices/{invoice_id}/pay",
        ref="payment_id",
        amount="amount",
        meanwhile={"meddled": "_payment_refunded_in_part", "consumed": "_payment_refunded"},
    )
    def pay_invoice(self, *, invoice_id: str, amount: int | None = None) -> dict[str, Any]:
        """Take what is left to pay on an open invoice, or `amount` of it, by a payment with its own id."""
        invoice = self._invoice(invoice_id)
        fields, taken = _state.pay(invoice, amount)
        paid = self._update(self.invoices, invoice, fields)
        row = self._new_payment(invoice["customer"], taken, None, invoice=invoice_id)
        payment = self._captured(self._insert(self.payments, {**row, **_state.capture(row, None)}))
        if paid["status"] == "paid":
            self.emit("invoice.paid", invoice_view(paid))
        return {
            "id": invoice_id,
            "payment_id": payment["id"],
            "amount": taken,
            "status": paid["status"],
            "amount_remaining": paid["total"] - paid["amount_paid"],
            "currency": paid["currency"],
        }

    @operation(
        cls=4,
        route="POST /payments/{payment_id}/refund",
        ref="payment_id",
        amount="amount",
        undoes=("capture_payment", "charge", "pay_invoice"),
    )
    def refund_payment(
        self, *, payment_id: str, amount: int | None = None, reason: str | None = None
    ) -> dict[str, Any]:
        """Give money back: all that is left, or `amount` of it. An invoice that it paid is open again."""
        payment = self._find(self.payments, payment_id)
        fields, back = _state.refund(payment, amount)
        after = self._update(self.payments, payment, fields)
        line = {
            "id": self._new_id(self.refunds, "re", None),
            "kind": "refund",
            "payment": payment_id,
            "capture": payment["captures"],
            "amount": back,
            "currency": payment["currency"],
            "reason": reason,
        }
        self._insert(self.refunds, line)
        if payment["invoice"] is not None:
            invoice = self.invoices[payment["invoice"]]
            self._update(self.invoices, invoice, _state.unpay(invoice, back))
        self.emit("payment.refunded", {**payment_view(after), "refund": line["id"], "back": back})
        return {**line, "payment_id": payment_id, "status": after["status"]}

    @operation(cls=1, route="GET /payments/{payment_id}", ref="payment_id")
    def get_payment(self, *, payment_id: str) -> dict[str, Any]:
        """Read a payment."""
        return payment_view(self._find(self.payments, payment_id))

    @operation(cls=1, route="GET /payments")
    def list_payments(
        self, *, customer: str | None = None, invoice: str | None = None, reference: str | None = None
    ) -> dict[str, Any]:
        """Read the payments, oldest first, all or those of a customer, an invoice or a reference."""
        wanted = {"customer": customer, "invoice": invoice, "reference": reference}
        return {"data": [payment_view(row) for row in self.payments.rows.values() if matches(row, wanted)]}

    @operation(cls=1, route="GET /refunds")
    def list_refunds(self, *, payment: str | None = None) -> dict[str, Any]:
        """Read the refund lines, oldest first, all or those of a payment."""
        return {
            "data": [dict(row) for row in self.refunds.rows.values() if matches(row, {"payment": payment})]
        }

    def _captured(self, row: Row) -> dict[str, Any]:
        """The payment as answers show it, and as whoever listens is told of it."""
        view = payment_view(row)
        self.emit("payment.captured", view)
        return view

    def _invoice_paid(self, effect: Effect) -> None:
        self.pay_invoice(invoice_id=str(effect.ref))

    def _payment_captured(self, effect: Effect) -> None:
        """A colleague captures what was authorized."""
        self.capture_payment(payment_id=str(effect.ref))

    def _payment_refunded(self, effect: Effect) -> None:
        """A colleague gives all of a payment back."""
        self.refund_payment(payment_id=str(effect.ref), reason="complaint")

    def _payment_refunded_in_part(self, effect: Effect) -> None:
        """A colleague gives one minor unit of a payment back."""
        self.refund_payment(payment_id=str(effect.ref), amount=1, reason="complaint")

    def _payment_referred(self, effect: Effect) -> None:
        """A colleague gives a payment another reference."""
        row = self._find(self.payments, str(effect.ref))
        self._update(self.payments, row, {"reference": f"{row['reference'] or row['id']}, checked"})
