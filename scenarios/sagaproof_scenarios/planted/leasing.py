"""Two processes on one saga: one stood still, another took it up, and the first one goes on (K18)."""

from __future__ import annotations

from sagaproof_scenarios.planted.plant import control, plant
from sagaproof_scenarios.planted.reference import Entry, Reference
from sagaproof_scenarios.planted.sending import Answer, Result
from sagaproof_scenarios.planted.stories import FULL

__all__ = ["CONTROLS", "PLANTED"]


class Superseded(Exception):
    """Another process runs the saga now; what this one still knows of it is old."""


class UnderEpoch(Reference):
    """Counts who took it up, in its journal, and looks there before each call and each write."""

    epoch = 0

    def run(self) -> str:
        """Take it up, unless that has been done, and run."""
        if not self.epoch:
            self.take_up()
        return super().run()

    def recover(self) -> str:
        """Take it up, and go on."""
        self.take_up()
        return super().recover()

    def take_up(self) -> None:
        """Be the one who runs it."""
        self.epoch = 1 + self.latest()
        append = self.world.durable(self.under_epoch, name="journal.append")
        self.write = append
        self.write({"epoch": self.epoch})

    def latest(self) -> int:
        """The epoch of whoever took it up last."""
        return max((record.get("epoch", 0) for record in self.journal), default=0)

    def under_epoch(self, record: dict[str, object]) -> None:
        """Append a record, as long as nobody else has taken the saga up."""
        self.require_epoch(record.get("epoch", 0))  # type: ignore[arg-type]
        self.journal.append(record)

    def require_epoch(self, taking: int = 0) -> None:
        """Raise if another one has it: with a newer epoch than ours, or with the one that we are taking."""
        if self.latest() >= (taking or self.epoch + 1):
            raise Superseded

    def call(self, entry: Entry) -> Answer:
        """Call only what is still ours to call."""
        self.require_epoch()
        return super().call(entry)

    def undo_call(self, entry: Entry) -> Result:
        """Undo only what is still ours to undo."""
        self.require_epoch()
        return super().undo_call(entry)

    def tell(self, case: dict[str, object]) -> bool:
        """Tell a person only of what is still ours."""
        self.require_epoch()
        return super().tell(case)


class OnlyALease(UnderEpoch):
    """Believes to have the saga for as long as it runs: who took it up is never looked at again."""

    def require_epoch(self, taking: int = 0) -> None:
        """Look only when it is taken up."""
        if taking:
            super().require_epoch(taking)


_K18 = "K18 RECOVERY-GAP"

PLANTED = (
    plant("two-runners", _K18, "A process that stood still goes on with a saga that another one has ended.",
          OnlyALease, FULL, expect=("one-runner",), faults=2, recovers=True,
          families=("pause", "rejection")),
)  # fmt: skip

CONTROLS = (
    control("REF-epoch", "Looks, before each call and each write, whether another process has its saga.",
            UnderEpoch, FULL, families=("pause", "crash", "rejection")),
)  # fmt: skip
