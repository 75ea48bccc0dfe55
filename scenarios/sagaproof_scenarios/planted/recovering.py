"""Unwinds that a crash makes be repeated, forgotten, or turned into going forward (K18)."""

from __future__ import annotations

import time

from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER, FULL

__all__ = ["PLANTED"]

_LEASE_S = 4.0


class LeaseLost(Exception):
    """Somebody else is at work on the saga now."""


class ExpiredLease(Reference):
    """Drops an outcome that comes after its lease; the successor takes what is only begun for failed."""

    def run(self) -> str:
        """Run under a lease, then hand over."""
        try:
            return super().run()
        except LeaseLost:
            return _Successor(self.world, self.steps, self.journal).recover()

    def begin(self, step: object) -> Entry:
        """Renew the lease."""
        self.renewed = time.monotonic()
        return super().begin(step)  # type: ignore[arg-type]

    def note(self, entry: Entry) -> None:
        """Write nothing down after the lease."""
        if time.monotonic() - self.renewed > _LEASE_S:
            raise LeaseLost
        super().note(entry)


class _Successor(Reference):
    def recover(self) -> str:
        self.load()
        self.entries = {name: e for name, e in self.entries.items() if e.state != "begun"}
        return self.abort()


class FailedIsForgotten(Reference):
    """Ends as 'failed' if an undo fails; a new process looks for sagas that run or abort, no others."""

    def escalate(self) -> str:
        """Leave it."""
        self.enter("failed")
        raise RuntimeError("the saga has failed")

    def recover(self) -> str:
        """Pass over what has failed."""
        self.load()
        if self.status == "failed":
            raise RuntimeError("the saga has failed")
        return super().recover()


class PhaseTooLate(Reference):
    """Writes down that it aborts when the first undo is done; until then a new process goes forward."""

    def abort(self) -> str:
        """Undo one, then enter the phase."""
        todo = self.to_undo()
        if todo and self.status == "running" and not any(e.step.pivot for e in todo):
            self.undo(todo[0])
        return super().abort()

    def load(self) -> None:
        """The step that failed is the next one to make."""
        super().load()
        if self.status == "running":
            self.entries = {name: e for name, e in self.entries.items() if e.state != "refused"}
            for entry in self.entries.values():
                entry.state = "done" if entry.state == "undone" else entry.state


_K18 = "K18 RECOVERY-GAP"
_ORPHAN = ("compensated-is-clean", "no-silent-residue")

PLANTED = (
    plant("M38", _K18, "An outcome after the lease is dropped; the successor takes the step for failed.",
          ExpiredLease, (CUSTOMER, BOOKING), expect=(*_ORPHAN, "no-silent-undo-failure")),
    plant("M39", _K18, "A saga whose undo failed ends as 'failed', which nobody looks for.",
          FailedIsForgotten, FULL, expect=("no-silent-residue", "no-silent-undo-failure", "terminates"),
          faults=2, recovers=True),
    plant("M67", _K18, "The phase is written after the first undo: a crash between turns it round.",
          PhaseTooLate, FULL, expect=("no-forward-in-unwind",),
          faults=2, recovers=True),
)  # fmt: skip
