"""Credits: money owed to a customer. A reversal is a line of its own; the credit stays beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sagaproof import Refusal, operation
from sagaproof.errors import UsageError
from sagaproof_fakes._money import pretty
from sagaproof_fakes._records import Row
from sagaproof_fakes.billing import _state
from sagaproof_fakes.billing._books import Books
from sagaproof_fakes.billing._customers import matches

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Credits"]


class Credits(Books):
    """The operations on credits."""

    @operation(
        cls=4,
        route="POST /credits",
        status=201,
        ref="id",
        amount="amount",
        meanwhile={"meddled": "_credit_explained", "consumed": "_credit_spent"},
    )
    def issue_credit(
        self,
        *,
        customer: str,
        amount: int,
        currency: str | None = None,
        invoice: str | None = None,
        reference: str | None = None,
        reason: str | None = None,
    ) -> dict[str, Any]:
        """Credit the customer with `amount` minor units; on an invoice, with no more than its total."""
        owner = self._customer(customer)
        _state.positive(amount, "amount")
        self._currency(owner, currency)
        if invoice is not None:
            self._check_invoice(self._find(self.invoices, invoice), customer, amount)
        row = self._new_credit(owner, amount, invoice=invoice, reference=reference, reason=reason)
        return dict(self._insert(self.credits, row))

    @operation(
        cls=4,
        route="POST /credits/{credit_id}/reverse",
        ref="credit_id",
        amount="amount",
        undoes="issue_credit",
    )
    def reverse_credit(self, *, credit_id: str, reason: str | None = None) -> dict[str, Any]:
        """Take a credit back by a reversal line over the same amount; both lines stay."""
        credit = self._credit(credit_id)
        fields = _state.reverse(credit)
        line = {
            "id": self._new_id(self.credits, "crr", None),
            "kind": "reversal",
            "status": "posted",
            "customer": credit["customer"],
            "amount": credit["amount"],
            "currency": credit["currency"],
            "credit": credit_id,
            "reason": reason,
        }
        self._update(self.credits, credit, fields)
        self._insert(self.credits, line)
        return {**line, "credit_id": credit_id, "status": fields["status"]}

    @operation(cls=1, route="GET /credits/{credit_id}", ref="credit_id")
    def get_credit(self, *, credit_id: str) -> dict[str, Any]:
        """Read a credit, a reversed one included."""
        return dict(self._credit(credit_id))

    @operation(cls=1, route="GET /credits")
    def list_credits(
        self, *, customer: str | None = None, invoice: str | None = None, reference: str | None = None
    ) -> dict[str, Any]:
        """Read the credits, oldest first and without the reversal lines, all or those of a customer, ..."""
        wanted = {"customer": customer, "invoice": invoice, "reference": reference}
        return {"data": [dict(row) for row in self._credit_lines() if matches(row, wanted)]}

    def _credit_explained(self, effect: Effect) -> None:
        """A colleague gives another reason for a credit."""
        row = self._credit(str(effect.ref))
        self._update(self.credits, row, {"reason": f"{row['reason'] or 'goodwill'}, approved"})

    def _credit_spent(self, effect: Effect) -> None:
        """The customer spends a credit."""
        self.spend_credit(str(effect.ref))

    def spend_credit(self, credit: str) -> None:
        """Let the customer spend a credit, as they may at any time: it cannot be reversed any more."""
        row = self.credits.get(credit)
        if row is None or row["status"] != "issued":
            raise UsageError(
                f"billing has no credit {credit!r} that could be spent", advice="Issue or add it first."
            )
        self._update(self.credits, row, {"status": "spent"})

    def _new_credit(
        self,
        owner: Row,
        amount: int,
        *,
        wanted_id: str | None = None,
        invoice: str | None = None,
        reference: str | None = None,
        reason: str | None = None,
    ) -> Row:
        """An issued credit; not written yet."""
        return {
            "id": self._new_id(self.credits, "cr", wanted_id),
            "kind": "credit",
            "status": "issued",
            "customer": owner["id"],
            "amount": amount,
            "currency": owner["currency"],
            "invoice": invoice,
            "reference": reference,
            "reason": reason,
        }

    def _credit(self, credit: str) -> Row:
        row = self._find(self.credits, credit)
        if row["kind"] != "credit":
            raise Refusal(404, "not_found", f"billing has no credit {credit!r}: that is a reversal line")
        return row

    def _check_invoice(self, invoice: Row, customer: str, amount: int) -> None:
        if invoice["customer"] != customer:
            raise Refusal(422, "other_customer", f"{invoice['id']} is not an invoice of {customer}")
        if invoice["status"] not in {"open", "paid", "uncollectible"}:
            raise Refusal(409, "not_open", f"{invoice['id']} is {invoice['status']} and cannot be credited")
        left = invoice["total"] - self._credited(invoice["id"])
        if amount > left:
            most = pretty(left, invoice["currency"])
            raise Refusal(422, "amount_too_large", f"no more than {most} can be credited on {invoice['id']}")
