"""The part of the CRM that knows the tickets, with their notes and replies."""

from __future__ import annotations

from sagaproof import Refusal, Table, invariant, operation
from sagaproof.errors import UsageError, suggest
from sagaproof_fakes._records import STAMPS, Row
from sagaproof_fakes.crm._orders import Orders
from sagaproof_fakes.crm._state import PRIORITIES, TICKET_STATUSES, check_version, one_of

__all__ = ["Tickets"]


class Tickets(Orders):
    """Tickets: open, pending or solved until they are closed, which is final."""

    tickets = Table(volatile=STAMPS)
    notes = Table(volatile=STAMPS)
    replies = Table(volatile=STAMPS)

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
        cls=3, route="PUT /tickets/{ticket_id}/status", ref="ticket_id", restores=("tickets", "status")
    )
    def set_ticket_status(self, ticket_id: str, status: str, if_match: str | None = None) -> Row:
        """Make a ticket open, pending or solved; closed is final (409), and only the CRM itself closes."""
        one_of(TICKET_STATUSES[:-1], status, "status")
        return self._write(self.tickets, self._writable(ticket_id, if_match), status=status)

    @operation(
        cls=3, route="PUT /tickets/{ticket_id}/assignee", ref="ticket_id", restores=("tickets", "assignee")
    )
    def assign_ticket(self, ticket_id: str, assignee: str | None, if_match: str | None = None) -> Row:
        """Give a ticket to somebody, or with None to nobody."""
        return self._write(self.tickets, self._writable(ticket_id, if_match), assignee=assignee)

    @operation(cls=3, route="POST /tickets/{ticket_id}/notes", status=201, ref="id")
    def add_note(self, ticket_id: str, text: str) -> Row:
        """Write a note that only colleagues see."""
        self._writable(ticket_id, None)
        key = self._new_id(self.notes, "note", None)
        return self._insert(self.notes, {"id": key, "ticket": ticket_id, "text": text})

    @operation(cls=3, route="DELETE /notes/{note_id}", ref="note_id", undoes="add_note")
    def delete_note(self, note_id: str) -> Row:
        """Remove a note."""
        row = self._find(self.notes, note_id)
        self.notes.drop(note_id)
        return row

    @operation(cls=5, route="POST /tickets/{ticket_id}/replies", status=201, ref="id")
    def add_public_reply(self, ticket_id: str, text: str) -> Row:
        """Answer the customer, who is sent the text at once: it cannot be unsaid."""
        self._writable(ticket_id, None)
        key = self._new_id(self.replies, "reply", None)
        return self._insert(self.replies, {"id": key, "ticket": ticket_id, "text": text})

    @operation(cls=1, route="GET /tickets/{ticket_id}/notes")
    def list_notes(self, ticket_id: str) -> Row:
        """Read the notes on a ticket, the oldest first."""
        self._find(self.tickets, ticket_id)
        return {"data": self.notes.where(ticket=ticket_id)}

    @operation(cls=1, route="GET /tickets/{ticket_id}/replies")
    def list_replies(self, ticket_id: str) -> Row:
        """Read what the customer was told, the oldest first."""
        self._find(self.tickets, ticket_id)
        return {"data": self.replies.where(ticket=ticket_id)}

    @invariant
    def tickets_make_sense(self) -> str:
        """Every ticket has a contact and a known order; every note and reply has its ticket."""
        for row in self.tickets.rows.values():
            if row["contact"] not in self.contacts:
                return f"ticket {row['id']} is from contact {row['contact']!r}, who is not there"
            if row["order"] is not None and row["order"] not in self.orders:
                return f"ticket {row['id']} is about order {row['order']!r}, which is not there"
        for row in (*self.notes.rows.values(), *self.replies.rows.values()):
            if row["ticket"] not in self.tickets:
                return f"{row['id']} is on ticket {row['ticket']!r}, which is not there"
        return ""

    def _writable(self, ticket_id: str, if_match: str | None) -> Row:
        row = self._find(self.tickets, ticket_id)
        check_version(row, if_match)
        if row["status"] == "closed":
            raise Refusal(409, "ticket_closed", f"ticket {ticket_id} is closed")
        return row
