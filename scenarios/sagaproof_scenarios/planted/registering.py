"""Undos that are registered too late, and steps of several effects (K07, K08)."""

from __future__ import annotations

from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference
from sagaproof_scenarios.planted.sending import Answer
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER, MAIL

__all__ = ["PLANTED"]


class LatePush(Reference):
    """Pushes the undo of a call when its answer has come."""

    def to_undo(self) -> list[Entry]:
        """What was answered."""
        return [entry for entry in super().to_undo() if entry.state == "done"]


class ForgetsIntents(Reference):
    """Reads back only what was done; what was begun it takes for not made."""

    def load(self) -> None:
        """Drop the steps without an outcome."""
        super().load()
        self.entries = {name: e for name, e in self.entries.items() if e.state != "begun"}


class TwoInOne(Reference):
    """Books and enters the customer in one step, under one entry: a refusal of the second is that of both."""

    def call(self, entry: Entry) -> Answer:
        """Two effects."""
        self.world.direct.ledger.post_transfer(**BOOKING.args({}), key=f"{entry.key}-booking")
        return super().call(entry)


class Bulk(Reference):
    """Books three items in one step; after a failure it begins with the first again."""

    def call(self, entry: Entry) -> Answer:
        """Return when all are booked."""
        if entry.step is not BOOKING:
            return super().call(entry)
        for item in ("1", "2", "3"):
            args = {**entry.args, "reference": f"4921-{item}"}
            entry.answer = self.world.direct.ledger.post_transfer(**args)
        return entry.answer


_K07, _K08 = "K07 LATE-REGISTER", "K08 PARTIAL-STEP"
_ORPHAN = ("compensated-is-clean", "no-silent-residue")

PLANTED = (
    plant("M13", _K07, "The undo is stored when the answer has come: a lost answer leaves none.", LatePush,
          (CUSTOMER, BOOKING), expect=_ORPHAN),
    plant("M14", _K07, "A process dies before it notes an effect; the next one is refused, and forgets it.",
          ForgetsIntents, (CUSTOMER, BOOKING), expect=_ORPHAN, faults=2, recovers=True),
    plant("M15", _K08, "A step has two effects; the second is refused, the first stays.", TwoInOne,
          (CUSTOMER,), expect=_ORPHAN),
    plant("M16", _K08, "A bulk fails in the middle and is made again from the start.", Bulk,
          (BOOKING, MAIL), expect=("applied-once", *_ORPHAN)),
)  # fmt: skip
