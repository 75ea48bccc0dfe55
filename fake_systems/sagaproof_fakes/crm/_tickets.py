"""The part of the CRM that knows the tickets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sagaproof import Refusal, Table, invariant, operation
from sagaproof.errors import UsageError, suggest
from sagaproof_fakes._records import STAMPS, Row, before
from sagaproof_fakes.crm._orders import Orders
from sagaproof_fakes.crm._state import (
    PRIORITIES,
    TICKET_STATUSES,
    another_ticket_status,
    check_version,
    one_of,
)

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Tickets"]

_COLLEAGUES: Final = ("alex", "kim", "sam")
"""Who may take a ticket over: enough of them for one who neither has it nor had it."""


class Tickets(Orders):
    """Tickets: open, pending or solved until they are closed, which is final."""

    tickets = Table(volatile=STAMPS)

    def add_ticket(
        self,
        ticket_id: str,
        *,
        order: str | None = None,
        contact: str | None = None,
        subject: str | None = None,
        status: str = "open",
        priority: str = "normal",
        assignee: str | None = None,
    ) -> Row:
        """Set up a ticket and return its row; it comes from the contact of its order unless one is named."""
        if order is not None and order not in self.orders:
            raise UsageError(f"there is no order {order!r}", advice=f"Call add_order({order!r}, ...) first.")
        for value, known in ((status, TICKET_STATUSES), (priority, PRIORITIES)):
            if value not in known:
                raise UsageError(f"no ticket can be {value!r}", advice=suggest(value, known))
        if contact is None and order is not None:
            contact = self.orders[order]["contact"]
        row = {
            "id": self._new_id(self.tickets, "ticket", ticket_id),
            "order": order,
            "contact": self._contact_for(contact),
            "subject": subject or f"Question about order {order or '(none)'}",
            "status": status,
            "priority": priority,
            "assignee": assignee,
        }
        return self._insert(self.tickets, row)

    def close_ticket(self, ticket_id: str) -> Row:
        """Close a ticket behind the back of whoever works on it, as a rule of the CRM would."""
        return self._write(self.tickets, self.tickets[ticket_id], status="closed")

    @operation(cls=1, route="GET /tickets/{ticket_id}")
    def get_ticket(self, ticket_id: str) -> Row:
        """Read one ticket."""
        return self._find(self.tickets, ticket_id)

    @operation(cls=1, route="GET /tickets")
    def list_tickets(self, status: str | None = None, order: str | None = None) -> Row:
        """Read all tickets, or those with a status or about an order."""
        wanted = {"status": status, "order": order}
        return {"data": self.tickets.where(**{f: v for f, v in wanted.items() if v is not None})}

    @operation(cls=2, route="PUT /tickets/{ticket_id}/priority", ref="ticket_id")
    def set_ticket_priority(self, ticket_id: str, priority: str, if_match: str | None = None) -> Row:
        """Say how urgent a ticket is: low, normal, high or urgent."""
        one_of(PRIORITIES, priority, "priority")
        return self._write(self.tickets, self._writable(ticket_id, if_match), priority=priority)

    @operation(
        cls=3,
        route="PUT /tickets/{ticket_id}/status",
        ref="ticket_id",
        restores=("tickets", "status"),
        meanwhile={"meddled": "_ticket_moved", "consumed": "_ticket_closed"},
    )
    def set_ticket_status(self, ticket_id: str, status: str, if_match: str | None = None) -> Row:
        """Make a ticket open, pending or solved; closed is final (409), and only the CRM itself closes."""
        one_of(TICKET_STATUSES[:-1], status, "status")
        return self._write(self.tickets, self._writable(ticket_id, if_match), status=status)

    @operation(
        cls=3,
        route="PUT /tickets/{ticket_id}/assignee",
        ref="ticket_id",
        restores=("tickets", "assignee"),
        meanwhile={"meddled": "_ticket_taken"},
    )
    def assign_ticket(self, ticket_id: str, assignee: str | None, if_match: str | None = None) -> Row:
        """Give a ticket to somebody, or with None to nobody."""
        return self._write(self.tickets, self._writable(ticket_id, if_match), assignee=assignee)

    @invariant
    def tickets_make_sense(self) -> str:
        """Every ticket has a contact and a known order."""
        for row in self.tickets.rows.values():
            if row["contact"] not in self.contacts:
                return f"ticket {row['id']} is from contact {row['contact']!r}, who is not there"
            if row["order"] is not None and row["order"] not in self.orders:
                return f"ticket {row['id']} is about order {row['order']!r}, which is not there"
        return ""

    def _ticket_moved(self, effect: Effect) -> None:
        """A colleague gives a ticket another status."""
        row = self._writable(str(effect.ref), None)
        status = another_ticket_status(row["status"], before(effect, "status"))
        self._write(self.tickets, row, status=status)

    def _ticket_taken(self, effect: Effect) -> None:
        """A colleague takes a ticket over."""
        row = self._writable(str(effect.ref), None)
        taken = {row["assignee"], before(effect, "assignee")}
        self._write(self.tickets, row, assignee=next(name for name in _COLLEAGUES if name not in taken))

    def _ticket_closed(self, effect: Effect) -> None:
        """A rule of the CRM closes a ticket."""
        self.close_ticket(str(effect.ref))

    def _writable(self, ticket_id: str, if_match: str | None) -> Row:
        row = self._find(self.tickets, ticket_id)
        check_version(row, if_match)
        if row["status"] == "closed":
            raise Refusal(409, "ticket_closed", f"ticket {ticket_id} is closed")
        return row
