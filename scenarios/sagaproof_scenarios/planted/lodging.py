"""The right saga over a service without keys, and what goes wrong there (K14, K18, K28)."""

from __future__ import annotations

import time
from dataclasses import replace
from uuid import uuid4

from sagaproof import ToolError
from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.sending import FAILURES, Answer, Result, send
from sagaproof_scenarios.planted.services import HOTEL
from sagaproof_scenarios.planted.stories import BOOKING

__all__ = ["PLANTED", "ROOM_FIRST", "Lodging", "UndoesAll"]

ROOM = Step("room", "hotel", "book", lambda _: {"room": "12", "guest": "Kim"}, handle="room")
ROOM_FIRST = (ROOM, BOOKING)
PAUSE_S = 2.0
MAY_ARRIVE = "it may still arrive"


class Lodging(Reference):
    """Books a room without a key: after silence it looks, and does not call again.

    What got no answer and is not there may arrive after all, and nothing shuts it out: a person is told.
    """

    def key_for(self, step: Step) -> str | None:
        """None for the room."""
        return None if step is ROOM else super().key_for(step)

    def forward(self, entry: Entry) -> Result:
        """Call again only where the attempt before is known to have failed."""
        if entry.step is not ROOM:
            return super().forward(entry)
        result = Result("unknown", error="no answer is known")
        for attempt in range(self.attempts if entry.known else 0):
            time.sleep(2 * PAUSE_S * attempt)
            result = send(lambda _: self.call(entry), 1, needs=entry.step.handle)
            if result.state != "unknown" or not self.failed_for_sure:
                return result
        return result._replace(state="refused") if entry.known else result

    def call(self, entry: Entry) -> Answer:
        """One attempt; whether its failure is known to be one is kept."""
        self.failed_for_sure = True
        try:
            answer = super().call(entry)
        except FAILURES as error:
            self.failed_for_sure = _is_definite(error)
            raise
        self.failed_for_sure = "error" in answer
        return answer

    def settle(self, entry: Entry, result: Result) -> None:
        """A room that is taken may be ours."""
        if entry.step is ROOM and result.state != "done" and self.has_room():
            result = Result("done", {"id": "12"})
        if entry.step is ROOM and result.state == "unknown":
            result = result._replace(error=f"{MAY_ARRIVE}: {result.error}")
        super().settle(entry, result)

    def has_room(self) -> bool:
        """Whether the room is ours."""
        time.sleep(PAUSE_S)
        look = lambda _: self.world.direct.hotel.get_room(room="12")  # noqa: E731
        seen = send(look, self.undo_attempts, needs="status")
        if seen.state != "done":
            self.cause = f"{self.cause}; get_room: {seen.error}".removeprefix("; ")
        return seen.answer.get("guest") == "Kim" and seen.answer.get("status") == "booked"

    def undo_by_ref(self, entry: Entry) -> Result:
        """Cancel under a key, if there is anything to cancel; what may still arrive is left to a person."""
        result = Result("done")
        if entry.state == "done" or self.has_room():
            result = self.cancel("order-4921-cancel")
        return Result("unknown", error=entry.error) if entry.error.startswith(MAY_ARRIVE) else result

    def cancel(self, key: str) -> Result:
        """Cancel the room."""
        cancel = lambda _: self.world.direct.hotel.cancel(room="12", key=key)  # noqa: E731
        return send(cancel, self.undo_attempts, needs="room")


def _is_definite(error: Exception) -> bool:
    """Whether an attempt is known not to have got through, and never will."""
    if isinstance(error, ToolError):
        return 400 <= error.status < 500 or error.status == 503
    return isinstance(error, ConnectionRefusedError)


class UndoesAll(Lodging):
    """Undoes also what was refused, and is told 404."""

    def to_undo(self) -> list[Entry]:
        """Everything."""
        return [entry for entry in reversed(self.entries.values()) if entry.state != "undone"]


class NeverCleared(Lodging):
    """Keeps the list of what is done over the first unwind; then the agent goes on, and it is used again."""

    unwinds = 1

    def run(self) -> str:
        """Make the steps; if one fails, unwind, look for another way, and if that fails, unwind."""
        if all(self.do(step) for step in self.steps):
            return self.end("completed")
        done = [replace(entry) for entry in self.to_undo()]
        claim = self.abort()
        try:
            self.world.direct.billing.list_customers()
        except FAILURES:
            self.unwinds = 2
            for entry in done:
                self.undo(entry)
        return claim

    def cancel(self, key: str) -> Result:
        """Each unwind has a key of its own."""
        return super().cancel(f"{key}-{self.unwinds}")


class UndoNotNoted(Lodging):
    """Writes down that it aborts, but not what it has undone."""

    def note(self, entry: Entry) -> None:
        """Nothing of undos."""
        if entry.state not in {"undone", "left"}:
            super().note(entry)

    def cancel(self, _key: str) -> Result:
        """A process knows no key of another."""
        return super().cancel(str(uuid4()))


class TakenIsFailed(Lodging):
    """Takes 'the room is taken' for a failure, although it was its own first attempt that took it."""

    def forward(self, entry: Entry) -> Result:
        """Call again whatever the failure."""
        return Reference.forward(self, entry)

    def settle(self, entry: Entry, result: Result) -> None:
        """A conflict is a definite failure."""
        failed = result.code == "room_taken"
        Reference.settle(self, entry, result._replace(state="refused") if failed else result)


_K28 = "K28 AMBIGUOUS-MISCLASSIFIED"
_ORPHAN = ("compensated-is-clean", "no-silent-residue")
SYSTEMS = ("billing", "ledger", "mail", "desk", HOTEL)

PLANTED = (
    plant("M28", "K14 DOUBLE-COMP", "The list of undos is not cleared; the agent goes on and fails again.",
          NeverCleared, ROOM_FIRST, expect=("undone-once",), faults=2, systems=SYSTEMS),
    plant("M37", "K18 RECOVERY-GAP", "What was undone is not noted; a new process undoes it again.",
          UndoNotNoted, ROOM_FIRST, expect=("undone-once", "recovery-idempotent"), faults=2, recovers=True,
          systems=SYSTEMS),
    plant("M60", _K28, "The retry is told 'taken', and takes its own booking for a stranger's.",
          TakenIsFailed, ROOM_FIRST, expect=_ORPHAN, systems=SYSTEMS),
)  # fmt: skip
