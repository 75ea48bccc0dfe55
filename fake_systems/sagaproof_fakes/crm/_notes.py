"""The part of the CRM that knows what is written on tickets: notes for colleagues, replies to customers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sagaproof import Refusal, Table, invariant, operation
from sagaproof_fakes._records import STAMPS, Row
from sagaproof_fakes.crm._tickets import Tickets

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Notes"]


class Notes(Tickets):
    """Notes, one by one or on many tickets at once, and replies, which cannot be unsaid."""

    notes = Table(volatile=STAMPS)
    batches = Table(volatile=STAMPS)
    replies = Table(volatile=STAMPS)

    @operation(
        cls=3,
        route="POST /tickets/{ticket_id}/notes",
        status=201,
        ref="id",
        meanwhile={"meddled": "_note_edited"},
    )
    def add_note(self, ticket_id: str, text: str) -> Row:
        """Write a note that only colleagues see."""
        self._writable(ticket_id, None)
        return self._note(ticket_id, text)

    @operation(cls=3, route="DELETE /notes/{note_id}", ref="note_id", undoes="add_note")
    def delete_note(self, note_id: str) -> Row:
        """Remove a note."""
        row = self._find(self.notes, note_id)
        self.notes.drop(note_id)
        return row

    @operation(
        cls=3,
        route="POST /note-batches",
        status=201,
        ref="batch",
        bulk="ticket_ids",
        meanwhile={"meddled": "_note_edited"},
    )
    def add_notes(self, ticket_ids: list[Any], text: str) -> Row:
        """Write the same note on many tickets, on each by itself; a ticket that takes none is `refused`.

        If all refuse, so does the call (409).
        """
        writable = [one for one in ticket_ids if self._takes_notes(one)]
        if not writable:
            raise Refusal(409, "none_writable", f"no ticket of {ticket_ids!r} takes a note")
        notes = [self._note(one, text)["id"] for one in writable]
        key = self._new_id(self.batches, "batch", None)
        self._insert(self.batches, {"id": key, "notes": notes})
        refused = [one for one in ticket_ids if one not in writable]
        return {"batch": key, "notes": notes, "refused": refused}

    @operation(cls=3, route="DELETE /note-batches/{batch}", ref="batch", undoes="add_notes")
    def delete_notes(self, batch: str) -> Row:
        """Remove the notes of a batch that are still there."""
        row = self._find(self.batches, batch)
        for note in row["notes"]:
            if note in self.notes:
                self.notes.drop(note)
        self.batches.drop(batch)
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
    def notes_and_replies_have_their_ticket(self) -> str:
        """Every note and every reply is on a ticket that is there."""
        for row in (*self.notes.rows.values(), *self.replies.rows.values()):
            if row["ticket"] not in self.tickets:
                return f"{row['id']} is on ticket {row['ticket']!r}, which is not there"
        return ""

    def _note_edited(self, effect: Effect) -> None:
        """A colleague edits a note, of a batch the first."""
        note = next(change.key for change in effect.changes if change.table == "notes")
        row = self._find(self.notes, note)
        self._write(self.notes, row, text=f"{row['text']} (edited)")

    def _note(self, ticket_id: str, text: str) -> Row:
        key = self._new_id(self.notes, "note", None)
        return self._insert(self.notes, {"id": key, "ticket": ticket_id, "text": text})

    def _takes_notes(self, ticket_id: object) -> bool:
        row = self.tickets.get(str(ticket_id))
        return row is not None and row["status"] != "closed"
