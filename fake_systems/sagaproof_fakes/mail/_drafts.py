"""The part of the mail service where a mail can still be taken back: drafts and scheduled mails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sagaproof import Refusal, Table, operation
from sagaproof_fakes._records import STAMPS, Records, Row
from sagaproof_fakes.mail._state import check_recipient, moment, seen_at

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Drafts"]


class Drafts(Records):
    """Drafts, until they are sent, and scheduled mails, until they are due."""

    drafts = Table(volatile=STAMPS)
    messages = Table(volatile=STAMPS)
    scheduled = Table(gone={"status": ("cancelled",)}, volatile=STAMPS)

    def add_draft(self, draft_id: str, *, to: str, subject: str, body: str = "") -> Row:
        """Set up a draft and return its row."""
        return self._draft(self._new_id(self.drafts, "draft", draft_id), to, subject, body, None)

    @operation(
        cls=3,
        route="POST /drafts",
        status=201,
        ref="id",
        meanwhile={"meddled": "_draft_edited", "consumed": "_draft_sent"},
    )
    def create_draft(self, to: str, subject: str, body: str, corrects: str | None = None) -> Row:
        """Keep a mail for later; nobody is sent anything."""
        check_recipient(to)
        self._must_be_sent(corrects)
        return self._draft(self._new_id(self.drafts, "draft", None), to, subject, body, corrects)

    @operation(cls=3, route="DELETE /drafts/{draft_id}", ref="draft_id", undoes="create_draft")
    def delete_draft(self, draft_id: str) -> Row:
        """Throw a draft away, unless it has been sent (409)."""
        row = self._unsent(draft_id)
        self.drafts.drop(draft_id)
        return row

    @operation(cls=1, route="GET /drafts/{draft_id}")
    def get_draft(self, draft_id: str) -> Row:
        """Read one draft."""
        return self._find(self.drafts, draft_id)

    @operation(cls=1, route="GET /drafts")
    def list_drafts(self) -> Row:
        """Read all drafts, the sent ones too."""
        return {"data": list(self.drafts.rows.values())}

    @operation(
        cls=3,
        route="POST /scheduled",
        status=201,
        ref="id",
        meanwhile={"meddled": "_scheduled_edited", "consumed": "_scheduled_sent"},
    )
    def schedule_send(
        self, to: str, subject: str, body: str, send_at: str, corrects: str | None = None
    ) -> Row:
        """Have a mail sent at a moment, an ISO 8601 text; from that moment on it is out for good."""
        check_recipient(to)
        self._must_be_sent(corrects)
        key = self._new_id(self.scheduled, "scheduled", None)
        row = {
            "id": key,
            "to": to,
            "subject": subject,
            "body": body,
            "corrects": corrects,
            "send_at": moment(send_at, self.clock.now()),
            "status": "scheduled",
        }
        return self._insert(self.scheduled, row)

    @operation(
        cls=3, route="POST /scheduled/{scheduled_id}/cancel", ref="scheduled_id", undoes="schedule_send"
    )
    def cancel_scheduled(self, scheduled_id: str) -> Row:
        """Call a scheduled mail off, as long as it is not due (then 409 `already_sent`)."""
        row = self._scheduled_now(scheduled_id)
        if row["status"] == "sent":
            raise Refusal(409, "already_sent", f"{scheduled_id} is out already")
        if row["status"] == "cancelled":
            raise Refusal(409, "already_cancelled", f"{scheduled_id} was called off already")
        return self._update(self.scheduled, row, {"status": "cancelled"})

    @operation(cls=1, route="GET /scheduled/{scheduled_id}")
    def get_scheduled(self, scheduled_id: str) -> Row:
        """Read one scheduled mail: scheduled, cancelled, or sent once it is due."""
        return self._scheduled_now(scheduled_id)

    @operation(cls=1, route="GET /scheduled")
    def list_scheduled(self) -> Row:
        """Read all scheduled mails, each as it is now."""
        now = self.clock.now()
        return {"data": [seen_at(row, now) for row in self.scheduled.rows.values()]}

    def _draft_edited(self, effect: Effect) -> None:
        """A colleague edits a draft."""
        row = self._unsent(str(effect.ref))
        self._update(self.drafts, row, {"body": f"{row['body']} (edited)"})

    def _draft_sent(self, effect: Effect) -> None:
        """A colleague sends a draft. How, is with the sending."""
        raise NotImplementedError

    def _scheduled_edited(self, effect: Effect) -> None:
        """A colleague edits a scheduled mail."""
        row = self._find(self.scheduled, str(effect.ref))
        self._update(self.scheduled, row, {"body": f"{row['body']} (edited)"})

    def _scheduled_sent(self, effect: Effect) -> None:
        """A colleague has a scheduled mail sent at once."""
        row = self._find(self.scheduled, str(effect.ref))
        self._update(self.scheduled, row, {"status": "sent", "send_at": self.clock.isoformat()})

    def _scheduled_now(self, scheduled_id: str) -> Row:
        return seen_at(self._find(self.scheduled, scheduled_id), self.clock.now())

    def _draft(self, key: str, to: str, subject: str, body: str, corrects: str | None) -> Row:
        row = {"id": key, "to": to, "subject": subject, "body": body, "corrects": corrects, "status": "draft"}
        return self._insert(self.drafts, row)

    def _unsent(self, draft_id: str) -> Row:
        row = self._find(self.drafts, draft_id)
        if row["status"] == "sent":
            raise Refusal(409, "already_sent", f"draft {draft_id} is out already")
        return row

    def _must_be_sent(self, corrects: str | None) -> None:
        """A correction needs an original that is out, at once or by its schedule."""
        if corrects is None or corrects in self.messages:
            return
        scheduled = self.scheduled.get(corrects)
        if scheduled is None or seen_at(scheduled, self.clock.now())["status"] != "sent":
            raise Refusal(422, "unknown_original", f"no mail {corrects!r} is out that could be corrected")
