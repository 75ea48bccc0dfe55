"""Invoices: draft, open, paid, void, uncollectible. How they get paid is with the payments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sagaproof import Refusal, operation
from sagaproof_fakes._records import Row
from sagaproof_fakes.billing import _state
from sagaproof_fakes.billing._books import Books, invoice_view
from sagaproof_fakes.billing._customers import matches

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Invoices"]


class Invoices(Books):
    """The operations on invoices."""

    @operation(
        cls=3,
        route="POST /invoices",
        status=201,
        ref="id",
        amount="total",
        meanwhile={"meddled": "_invoice_described", "consumed": "_invoice_finalized"},
    )
    def create_invoice(
        self,
        *,
        customer: str,
        total: int,
        currency: str | None = None,
        description: str | None = None,
        reference: str | None = None,
    ) -> dict[str, Any]:
        """Add a draft over `total` minor units, in the customer's currency."""
        owner = self._customer(customer)
        _state.positive(total, "total")
        row = {
            "id": self._new_id(self.invoices, "in", None),
            "status": "draft",
            "customer": customer,
            "total": total,
            "amount_paid": 0,
            "currency": self._currency(owner, currency),
            "number": None,
            "description": description,
            "reference": reference,
        }
        return invoice_view(self._insert(self.invoices, row))

    @operation(
        cls=3,
        route="DELETE /invoices/{invoice_id}",
        ref="invoice_id",
        amount="total",
        undoes="create_invoice",
    )
    def delete_invoice(self, *, invoice_id: str) -> dict[str, Any]:
        """Strike off a draft, or what is left of a void invoice; any other has a number and stays."""
        row = self._find(self.invoices, invoice_id)
        return invoice_view(self._update(self.invoices, row, _state.delete_invoice(row)))

    @operation(
        cls=3,
        route="POST /invoices/{invoice_id}/finalize",
        ref="invoice_id",
        amount="total",
        meanwhile={"meddled": "_invoice_described", "consumed": "_invoice_paid"},
    )
    def finalize_invoice(self, *, invoice_id: str) -> dict[str, Any]:
        """Turn a draft into an open invoice with a number. It can be void again, but never a draft."""
        row = self._invoice(invoice_id)
        return invoice_view(self._update(self.invoices, row, _state.finalize(row, self._number())))

    @operation(
        cls=3,
        route="POST /invoices/{invoice_id}/void",
        ref="invoice_id",
        amount="total",
        undoes="finalize_invoice",
    )
    def void_invoice(self, *, invoice_id: str) -> dict[str, Any]:
        """Void an open or uncollectible invoice for good. A paid one is credited, a draft deleted."""
        row = self._find(self.invoices, invoice_id)
        fields = _state.void_invoice(row, self._credited(invoice_id))
        return invoice_view(self._update(self.invoices, row, fields))

    @operation(cls=3, route="POST /invoices/{invoice_id}/uncollectible", ref="invoice_id", amount="total")
    def mark_uncollectible(self, *, invoice_id: str) -> dict[str, Any]:
        """Write an open invoice off as uncollectible."""
        row = self._invoice(invoice_id)
        return invoice_view(self._update(self.invoices, row, _state.write_off(row)))

    @operation(
        cls=3,
        route="POST /invoices/{invoice_id}/reopen",
        ref="invoice_id",
        amount="total",
        undoes="mark_uncollectible",
    )
    def reopen_invoice(self, *, invoice_id: str) -> dict[str, Any]:
        """Make an uncollectible invoice an open one again."""
        row = self._invoice(invoice_id)
        return invoice_view(self._update(self.invoices, row, _state.reopen(row)))

    @operation(cls=1, route="GET /invoices/{invoice_id}", ref="invoice_id")
    def get_invoice(self, *, invoice_id: str) -> dict[str, Any]:
        """Read an invoice, a void one included."""
        return invoice_view(self._invoice(invoice_id))

    @operation(cls=1, route="GET /invoices")
    def list_invoices(
        self, *, customer: str | None = None, status: str | None = None, reference: str | None = None
    ) -> dict[str, Any]:
        """Read the invoices, oldest first, all or those of a customer, a state or a reference."""
        wanted = {"customer": customer, "status": status, "reference": reference}
        rows = self.invoices.rows.values()
        return {"data": [invoice_view(r) for r in rows if r["status"] != "deleted" and matches(r, wanted)]}

    def _invoice_described(self, effect: Effect) -> None:
        """A colleague describes an invoice in other words."""
        row = self._invoice(str(effect.ref))
        said = f"{row['description'] or 'services'}, as agreed"
        self._update(self.invoices, row, {"description": said})

    def _invoice_finalized(self, effect: Effect) -> None:
        """A colleague finalizes a draft."""
        self.finalize_invoice(invoice_id=str(effect.ref))

    def _invoice_paid(self, effect: Effect) -> None:
        """The customer pays an open invoice. How, is with the payments."""
        raise NotImplementedError

    def _invoice(self, invoice: str) -> Row:
        row = self._find(self.invoices, invoice)
        if row["status"] == "deleted":
            raise Refusal(404, "not_found", f"billing: invoice {invoice!r} has been deleted")
        return row

    def _number(self) -> str:
        """The next number; numbers have no gaps, a void invoice keeps its own."""
        taken = sum(1 for row in self.invoices.rows.values() if row["number"] is not None)
        return f"INV-{taken + 1:04d}"
