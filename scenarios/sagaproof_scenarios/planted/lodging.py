"""The right saga over a service without keys, and what goes wrong there (K14, K18, K28)."""

from __future__ import annotations

import time
from uuid import uuid4

from sagaproof import ToolError
from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.sending import FAILURES, Answer, Result, send
from sagaproof_scenarios.planted.services import HOTEL
from sagaproof_scenarios.planted.stories import BOOKING

__all__ = ["PLANTED", "ROOM_FIRST", "Lodging", "UndoesAll"]

ROOM = Step("room", "hotel", "book", lambda _: {"room": "12", "guest": "Kim"})
ROOM_FIRST = (ROOM, BOOKING)
PAUSE_S = 2.0


class Lodging(Reference):
    """Books a room without a key: what is unclear is looked up, and what may still arrive told to a person.

    An attempt that got no answer may arrive after the room has been cancelled, and nothing shuts it out.
    """

    may_arrive = ""

    def key_for(self, step: Step) -> str | None:
        """None for the room."""
        return None if step is ROOM else super().key_for(step)

    def call(self, entry: Entry) -> Answer:
        """One attempt; one without an answer is remembered."""
        try:
            return super().call(entry)
        except FAILURES as error:
            if entry.step is ROOM and not _is_definite(error):
                self.may_arrive = f"an attempt may still arrive: {error}"
            raise

    def settle(self, entry: Entry, result: Result) -> None:
        """A room that is taken may be ours."""
        if entry.step is ROOM and result.state != "done" and self.has_room():
            result = Result("done", {"id": "12"})
        super().settle(entry, result)
        if entry.step is ROOM:
            entry.error = entry.error or self.may_arrive

    def load(self) -> None:
        """Know again what may still arrive."""
        super().load()
        room = self.entries.get("room")
        if room is not None:
            self.may_arrive = room.error or ("no answer is known" if room.state == "begun" else "")

    def undo(self, entry: Entry) -> None:
        """Undo; what may still arrive is left to a person."""
        may_arrive = self.may_arrive if entry.step is ROOM else ""
        super().undo(entry)
        if may_arrive and entry.state == "undone":
            entry.state, entry.error = "left", may_arrive
            self.note(entry)

    def has_room(self) -> bool:
        """Whether the room is ours."""
        time.sleep(PAUSE_S)
        seen = send(lambda _: self.world.direct.hotel.get_room(room="12"), self.undo_attempts)
        return seen.answer.get("guest") == "Kim" and seen.answer.get("status") == "booked"

    def undo_by_ref(self, entry: Entry) -> Result:
        """Cancel under a key, if there is anything to cancel."""
        if entry.state in {"begun", "unknown"} and not self.has_room():
            return Result("done")
        return self.cancel("order-4921-cancel")

    def cancel(self, key: str) -> Result:
        """Cancel the room."""
        return send(lambda _: self.world.direct.hotel.cancel(room="12", key=key), self.undo_attempts)


def _is_definite(error: Exception) -> bool:
    """Whether an attempt is known not to have got through, and never will."""
    if isinstance(error, ToolError):
        return error.status < 500 or error.status == 503
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
        done = self.to_undo()
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

    def settle(self, entry: Entry, result: Result) -> None:
        """A conflict is a definite failure."""
        failed = result.code == "room_taken"
        Reference.settle(self, entry, result._replace(state="refused") if failed else result)


_ORPHAN = ("compensated-is-clean", "no-silent-residue")
SYSTEMS = ("billing", "ledger", "mail", "desk", HOTEL)

PLANTED = (
    plant("M28", "K14 DOUBLE-COMP", "The list of undos is not cleared; the agent goes on and fails again.",
          NeverCleared, ROOM_FIRST, expect=("undone-once",), faults=2, systems=SYSTEMS),
    plant("M37", "K18 RECOVERY-GAP", "What was undone is not noted; a new process undoes it again.",
          UndoNotNoted, ROOM_FIRST, expect=("undone-once", "recovery-idempotent"), faults=2, recovers=True,
          systems=SYSTEMS),
    plant("M60", "K28 AMBIGUOUS-MISCLASSIFIED", "The retry is told 'taken', and takes its own booking for another's.",
          TakenIsFailed, ROOM_FIRST, expect=_ORPHAN, systems=SYSTEMS),
)  # fmt: skip
