"""Effects that land after their undo, and undos that take something real for what never was (K20, K21)."""

from __future__ import annotations

from typing import ClassVar

from sagaproof_scenarios.planted.listening import PAID, RECEIPT, Event, Listens
from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference
from sagaproof_scenarios.planted.replaying import local_commit
from sagaproof_scenarios.planted.sending import Answer, Result, send
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER

__all__ = ["PLANTED"]


class NoFence(Reference):
    """Takes a timeout for a failure; its undo looks whether there is anything, and if not, it is done."""

    attempts: ClassVar[int] = 1

    def undo_call(self, entry: Entry) -> Result:
        """Look first; what is not there needs no undo."""
        system = getattr(self.world.direct, entry.step.system)
        look = {"operation": entry.step.operation, "key": entry.key}
        seen = send(lambda _: system.lookup(**look), self.undo_attempts)
        return seen if seen.answer.get("state") == "absent" else super().undo_call(entry)


class MarkerRolledBack(Reference):
    """Marks a step as made in a local transaction, which is rolled back; without a mark nothing is undone."""

    def run(self) -> str:
        """Run, with marks."""
        self.commit = local_commit(self.world)
        self.marked: set[str] = set()
        return super().run()

    def call(self, entry: Entry) -> Answer:
        """The effect, and then the transaction that holds the mark."""
        answer = super().call(entry)
        self.commit(entry.step.name)
        self.marked.add(entry.step.name)
        return answer

    def undo_call(self, entry: Entry) -> Result:
        """What has no mark never happened."""
        return super().undo_call(entry) if entry.step.name in self.marked else Result("done")


class TakesTheirWord(Listens):
    """Books what an event says, and takes over its status, whatever its own has become meanwhile."""

    status_of: ClassVar[dict[str, str]] = {"payment.captured": "completed"}

    def on_event(self, event: Event) -> str:
        """No look at how the saga stands."""
        self.status = self.status_of[event["type"]]
        self.do(RECEIPT)
        return self.status


_ORPHAN = ("compensated-is-clean", "no-silent-residue")

PLANTED = (
    plant("M42", "K20 LATE-EFFECT", "The undo finds nothing and says so; then the call arrives.", NoFence,
          (CUSTOMER, BOOKING), expect=(*_ORPHAN, "rest-is-rest", "late-effect-fenced")),
    plant("M44", "K20 LATE-EFFECT", "A late event of success overwrites the terminal status.", TakesTheirWord,
          PAID, expect=("rest-is-rest", "truthful-claim"), faults=2, families=("rejection", "event")),
    plant("M46", "K21 EMPTY-COMP", "The mark that a step was made is rolled back, and so it is not undone.",
          MarkerRolledBack, (CUSTOMER, BOOKING), expect=_ORPHAN),
)  # fmt: skip
