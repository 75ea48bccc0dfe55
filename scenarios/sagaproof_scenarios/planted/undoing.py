"""Undos out of order, silent, empty, skipped, or aimed at the wrong thing (K09, K11, K12, K13, K15)."""

from __future__ import annotations

from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference
from sagaproof_scenarios.planted.sending import Result
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER, FULL, MAIL

__all__ = ["PLANTED", "SECOND", "OldestFirst"]


class OldestFirst(Reference):
    """Unwinds in the order in which things were done."""

    def to_undo(self) -> list[Entry]:
        """Oldest first."""
        return super().to_undo()[::-1]


class Swallows(Reference):
    """Writes down that an undo failed, and goes on as if it had not."""

    def undo(self, entry: Entry) -> None:
        """Try it."""
        super().undo(entry)
        entry.state = "undone"


class Stub(Reference):
    """Has undos that succeed without doing anything."""

    def undo_call(self, _entry: Entry) -> Result:
        """Nothing."""
        return Result("done", {"ok": True})


class LacksHandler(Reference):
    """Knows after a restart how to undo some kinds of step, and passes over the others."""

    def load(self) -> None:
        """Forget the kinds without a handler."""
        super().load()
        if self.status == "aborting":
            self.entries.pop("customer", None)


class CalledARead(Reference):
    """Has the booking down as a read, so that there is nothing to undo."""

    def to_undo(self) -> list[Entry]:
        """What is down as a write."""
        return [entry for entry in super().to_undo() if entry.step is not BOOKING]


class LastReference(Reference):
    """Closes over a loop variable: every undo of one operation means its last call."""

    def undo_call(self, entry: Entry) -> Result:
        """Undo the last one."""
        last = [e for e in self.entries.values() if e.step.operation == entry.step.operation][-1]
        return super().undo_call(last)


SECOND = BOOKING._replace(
    name="second-booking", args=lambda _: {**BOOKING.args({}), "amount": 900, "reference": "4921-shipping"}
)

_K09, _K11, _K12 = "K09 ORDER", "K11 SILENT-COMP-FAIL", "K12 STUB-COMP"
_K13, _K15 = "K13 INCOMPLETE-INVERSE", "K15 BAD-REF"
_SILENT = ("no-silent-undo-failure", "no-silent-residue", "truthful-claim", "compensated-is-clean")
_ORPHAN = ("compensated-is-clean", "no-silent-residue")

PLANTED = (
    plant("M17", _K09, "Undos run oldest first: the customer goes before its invoice.", OldestFirst, FULL,
          expect=("reverse-order",)),
    plant("M22", _K11, "An undo fails, a log line says so, and the saga says 'compensated'.", Swallows, FULL,
          expect=_SILENT, faults=2),
    plant("M24", _K12, "The undo reports success and calls nobody.", Stub, FULL, expect=_ORPHAN),
    plant("M25", _K12, "After a restart one kind of step has no handler, and is passed over.", LacksHandler,
          FULL, expect=_SILENT, faults=2, recovers=True),
    plant("M27", _K13, "A booking is labelled a read, and so never undone.", CalledARead,
          (CUSTOMER, BOOKING, MAIL), expect=_ORPHAN),
    plant("M30", _K15, "Two bookings; both undos mean the second.", LastReference,
          (BOOKING, SECOND, MAIL), expect=(*_ORPHAN, "undone-once")),
)  # fmt: skip
