"""The part of the CRM that knows the orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sagaproof import Refusal, Table, invariant, operation
from sagaproof.errors import UsageError, suggest
from sagaproof_fakes._money import Money, minor
from sagaproof_fakes._records import STAMPS, Row, before
from sagaproof_fakes.crm._contacts import Contacts
from sagaproof_fakes.crm._state import (
    ORDER_STATUSES,
    another_order_status,
    check_order_move,
    check_version,
    one_of,
)

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Orders"]


class Orders(Contacts):
    """Orders: pending, confirmed or cancelled until they are fulfilled. Totals are in minor units."""

    orders = Table(volatile=STAMPS)

    def add_order(
        self,
        order_id: str,
        *,
        total: Money,
        currency: str = "USD",
        contact: str | None = None,
        status: str = "pending",
    ) -> Row:
        """Set up an order and return its row. Without `contact` one is made up.

        `total` is a decimal text or `Decimal`; an int is taken for minor units.
        """
        if status not in ORDER_STATUSES:
            raise UsageError(f"no order can be {status!r}", advice=suggest(status, ORDER_STATUSES))
        row = {
            "id": self._new_id(self.orders, "order", order_id),
            "total": minor(total, currency),
            "contact": self._contact_for(contact),
            "currency": currency,
            "status": status,
        }
        return self._insert(self.orders, row)

    @operation(cls=1, route="GET /orders/{order_id}", amount="total")
    def get_order(self, order_id: str) -> Row:
        """Read one order."""
        return self._find(self.orders, order_id)

    @operation(cls=1, route="GET /orders")
    def list_orders(self, status: str | None = None, contact: str | None = None) -> Row:
        """Read all orders, or those with a status or of a contact."""
        wanted = {"status": status, "contact": contact}
        return {"data": self.orders.where(**{f: v for f, v in wanted.items() if v is not None})}

    @operation(
        cls=3,
        route="PUT /orders/{order_id}/status",
        ref="order_id",
        restores=("orders", "status"),
        meanwhile={"meddled": "_order_moved", "consumed": "_order_fulfilled"},
    )
    def set_order_status(self, order_id: str, status: str, if_match: str | None = None) -> Row:
        """Confirm or cancel an order, or put it back; each of these moves can be taken back.

        A fulfilled order stays fulfilled (409), and none becomes so by this operation: goods that are on
        their way cannot be called back, so `fulfil_order` is one of another class.
        """
        one_of(ORDER_STATUSES, status, "status")
        row = self._find(self.orders, order_id)
        check_version(row, if_match)
        check_order_move(row, status)
        if status == "fulfilled" and row["status"] != "fulfilled":
            raise Refusal(409, "illegal_transition", f"order {order_id} is fulfilled by fulfil_order only")
        return self._write(self.orders, row, status=status)

    @operation(cls=5, route="POST /orders/{order_id}/fulfilment", ref="order_id")
    def fulfil_order(self, order_id: str, if_match: str | None = None) -> Row:
        """Hand the goods of a confirmed order to the carrier: no call brings them back."""
        row = self._find(self.orders, order_id)
        check_version(row, if_match)
        check_order_move(row, "fulfilled")
        return self._write(self.orders, row, status="fulfilled")

    @invariant
    def orders_make_sense(self) -> str:
        """Every order has a contact, a known status and a total in whole minor units."""
        for row in self.orders.rows.values():
            if row["contact"] not in self.contacts:
                return f"order {row['id']} belongs to contact {row['contact']!r}, who is not there"
            if row["status"] not in ORDER_STATUSES:
                return f"order {row['id']} is {row['status']!r}"
            if row["total"].__class__ is not int or row["total"] < 0:
                return f"order {row['id']} has a total of {row['total']!r}"
        return ""

    def _contact_orders(self, effect: Effect) -> None:
        row = self._find(self.contacts, str(effect.ref))
        self.add_order(self._new_id(self.orders, "order", None), total="10.00", contact=row["id"])

    def _order_moved(self, effect: Effect) -> None:
        """A colleague confirms or cancels an order, or puts it back."""
        row = self._find(self.orders, str(effect.ref))
        self._write(self.orders, row, status=another_order_status(row["status"], before(effect, "status")))

    def _order_fulfilled(self, effect: Effect) -> None:
        """A colleague hands the goods of an order to the carrier."""
        self._write(self.orders, self._find(self.orders, str(effect.ref)), status="fulfilled")

    def _contact_for(self, contact: str | None) -> str:
        """The id of a contact that is there; a new one where none is named."""
        if contact is None:
            return str(self.add_contact()["id"])
        if contact not in self.contacts:
            raise UsageError(
                f"there is no contact {contact!r}", advice="Call add_contact first, or leave contact out."
            )
        return contact
