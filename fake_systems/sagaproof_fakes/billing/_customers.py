"""Customers: create, delete, set the address, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sagaproof import Refusal, operation
from sagaproof_fakes._records import Row
from sagaproof_fakes.billing._books import Books, known_currency

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Customers"]

_ADDRESSES: Final = ("moved@example.com", "moved.on@example.com", "moved.again@example.com")
"""Where a customer may move: enough for one that they neither have nor had."""


class Customers(Books):
    """The operations on customers."""

    @operation(
        cls=3,
        route="POST /customers",
        status=201,
        ref="id",
        meanwhile={"meddled": "_email_changed", "consumed": "_customer_credited"},
    )
    def create_customer(
        self, *, name: str, email: str | None = None, currency: str = "usd", reference: str | None = None
    ) -> dict[str, Any]:
        """Add a customer, billed in one currency. `reference` is the caller's own word for it."""
        row = {
            "id": self._new_id(self.customers, "cus", None),
            "status": "active",
            "name": name,
            "email": email,
            "currency": known_currency(currency),
            "reference": reference,
        }
        return self._customer_view(self._insert(self.customers, row))

    @operation(cls=3, route="DELETE /customers/{customer_id}", ref="customer_id", undoes="create_customer")
    def delete_customer(self, *, customer_id: str) -> dict[str, Any]:
        """Delete a customer for good; refused while an invoice, a payment or a credit of theirs stands."""
        row = self._find(self.customers, customer_id)
        if row["status"] == "deleted":
            raise Refusal(409, "already_deleted", f"{customer_id} has been deleted")
        standing = self._standing(customer_id)
        if standing is not None:
            raise Refusal(409, "customer_in_use", f"{customer_id} still has {standing}: take it back first")
        return self._customer_view(self._update(self.customers, row, {"status": "deleted"}))

    @operation(
        cls=3,
        route="PUT /customers/{customer_id}/email",
        ref="customer_id",
        restores=("customers", "email"),
        meanwhile={"meddled": "_email_changed"},
    )
    def set_customer_email(
        self, *, customer_id: str, email: str | None, if_match: str | None = None
    ) -> dict[str, Any]:
        """Write the address; `previous` in the answer is the one it had. `if_match` is the version meant."""
        row = self._customer(customer_id)
        if if_match is not None and if_match.strip('"') != str(row["version"]):
            raise Refusal(412, "version_mismatch", f"{customer_id} is at version {row['version']}")
        return self._customer_view(self._update(self.customers, row, {"email": email}))

    @operation(cls=1, route="GET /customers/{customer_id}", ref="customer_id")
    def get_customer(self, *, customer_id: str) -> dict[str, Any]:
        """Read a customer with the sum of the credits that they can still spend."""
        return self._customer_view(self._customer(customer_id))

    @operation(cls=1, route="GET /customers")
    def list_customers(self, *, email: str | None = None, reference: str | None = None) -> dict[str, Any]:
        """Read the customers, oldest first, all or those with this address or reference."""
        rows = self.customers.where(status="active")
        wanted = {"email": email, "reference": reference}
        return {"data": [self._customer_view(row) for row in rows if matches(row, wanted)]}

    def _email_changed(self, effect: Effect) -> None:
        """The customer moves to another address."""
        row = self._customer(str(effect.ref))
        known = [change.before["email"] for change in effect.changes if change.before is not None]
        email = next(one for one in _ADDRESSES if one not in {row["email"], *known})
        self._update(self.customers, row, {"email": email})

    def _customer_credited(self, effect: Effect) -> None:
        """A colleague credits the customer with something. How, is with the set-up."""
        raise NotImplementedError

    def _customer_view(self, row: Row) -> dict[str, Any]:
        spendable = sum(c["amount"] for c in self._credit_lines(customer=row["id"], status="issued"))
        return {**row, "credit_balance": spendable}

    def _standing(self, customer: str) -> str | None:
        """Something of this customer's that has not been taken back."""
        for table in (self.invoices, self.payments, self.credits):
            gone = dict(table.info.gone)
            for row in table.where(customer=customer):
                if not any(row.get(field) in values for field, values in gone.items()):
                    return str(row["id"])
        return None


def matches(row: Row, wanted: Row) -> bool:
    """Whether a row has all the values that are asked for; None asks for nothing."""
    return all(value is None or row.get(field) == value for field, value in wanted.items())
