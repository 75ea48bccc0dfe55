"""The mail service: sending for good, bounces, and the drafts and scheduled mails of its other part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sagaproof import Refusal, Table, invariant, operation
from sagaproof.errors import UsageError, suggest
from sagaproof_fakes._records import STAMPS, Row
from sagaproof_fakes.mail._drafts import Drafts
from sagaproof_fakes.mail._state import check_recipient, is_address

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Mail"]


class Mail(Drafts):
    """A mail service. What it has sent stays sent: only another mail can correct it."""

    name: ClassVar[str] = "mail"
    hosts: ClassVar[tuple[str, ...]] = ("mail.test",)
    sends: ClassVar[tuple[str, ...]] = ("mail.delivered", "mail.bounced")

    bounces = Table(volatile=STAMPS)

    def bounce(self, message_id: str, reason: str = "mailbox full") -> Row:
        """Let a sent mail come back, as the other side may do at any time; return the bounce.

        A second bounce of the same mail changes nothing and returns the first.
        """
        for known in self.bounces.where(message=message_id):
            return known
        if message_id not in self.messages:
            raise UsageError(
                f"no mail {message_id!r} was sent, so none can bounce",
                where="mail.bounce",
                advice=suggest(message_id, self.messages),
            )
        self._update(self.messages, self.messages[message_id], {"status": "bounced"})
        key = self._new_id(self.bounces, "bounce", None)
        row = self._insert(self.bounces, {"id": key, "message": message_id, "reason": reason})
        self.emit("mail.bounced", row)
        return row

    @operation(
        cls=5,
        route="POST /messages",
        status=201,
        ref="id",
        traits=("mail",),
        meanwhile={"bounced": "_bounced"},
    )
    def send(self, to: str, subject: str, body: str, corrects: str | None = None) -> Row:
        """Send a mail now. `corrects` names the mail that this one puts right; it must be out (else 422)."""
        check_recipient(to)
        self._must_be_sent(corrects)
        return self._send(to, subject, body, corrects)

    @operation(
        cls=5,
        route="POST /mailings",
        status=201,
        ref="mailing",
        traits=("mail",),
        bulk="recipients",
        meanwhile={"bounced": "_bounced"},
    )
    def send_many(self, recipients: list[Any], subject: str, body: str) -> Row:
        """Send the same mail to many, to each by itself; what is no address is `refused`.

        If there is no address among them, the call is refused (422).
        """
        good = [to for to in recipients if is_address(to)]
        if not good:
            raise Refusal(422, "invalid_recipient", f"there is no e-mail address in {recipients!r}")
        sent = [self._send(to, subject, body, None)["id"] for to in good]
        refused = [to for to in recipients if not is_address(to)]
        return {"mailing": self.ids.next("mailing"), "messages": sent, "refused": refused}

    @operation(
        cls=5,
        route="POST /drafts/{draft_id}/send",
        status=201,
        ref="id",
        traits=("mail",),
        meanwhile={"bounced": "_bounced"},
    )
    def send_draft(self, draft_id: str) -> Row:
        """Send a draft as it is, once: the second time is refused (409 `already_sent`)."""
        draft = self._unsent(draft_id)
        self._update(self.drafts, draft, {"status": "sent"})
        return self._send(draft["to"], draft["subject"], draft["body"], draft["corrects"])

    @operation(cls=1, route="GET /messages/{message_id}")
    def get_message(self, message_id: str) -> Row:
        """Read one sent mail: sent or bounced."""
        return self._find(self.messages, message_id)

    @operation(cls=1, route="GET /messages")
    def list_messages(self, to: str | None = None, corrects: str | None = None) -> Row:
        """Read what was sent, to an address or as a correction of a mail if one is named."""
        wanted = {"to": to, "corrects": corrects}
        return {"data": self.messages.where(**{f: v for f, v in wanted.items() if v is not None})}

    @operation(cls=1, route="GET /bounces")
    def list_bounces(self) -> Row:
        """Read what came back."""
        return {"data": list(self.bounces.rows.values())}

    @invariant
    def nothing_refers_to_nowhere(self) -> str:
        """A correction has its original, and a bounce its mail."""
        for row in self.messages.rows.values():
            original = row["corrects"]
            if original is not None and original not in self.messages and original not in self.scheduled:
                return f"mail {row['id']} corrects {original!r}, which is not there"
        for row in self.bounces.rows.values():
            if row["message"] not in self.messages:
                return f"bounce {row['id']} is of mail {row['message']!r}, which is not there"
        return ""

    def _bounced(self, effect: Effect) -> None:
        """A mail comes back, of many the first."""
        self.bounce(next(change.key for change in effect.changes if change.table == "messages"))

    def _draft_sent(self, effect: Effect) -> None:
        self.send_draft(str(effect.ref))

    def _send(self, to: str, subject: str, body: str, corrects: str | None) -> Row:
        key = self._new_id(self.messages, "msg", None)
        row = {
            "id": key,
            "to": to,
            "subject": subject,
            "body": body,
            "corrects": corrects,
            "status": "sent",
        }
        sent = self._insert(self.messages, row)
        self.emit("mail.delivered", sent)
        return sent
