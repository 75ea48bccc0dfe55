"""What is kept of a run once its history is gone."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from sagaproof._model.claim import Claim
from sagaproof._model.fault import Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import Injection, Plan
from sagaproof._model.point import PointClass

__all__ = ["Book", "Record", "is_crash"]


@dataclass(slots=True)
class Record:
    """One run: its plan, the verdicts by slug, and how it can be extended.

    `parent` and `added` say how its plan was made (None for the empty one), `cells` what
    it covers. `stands_for` holds the records that look the same at the same point; their extensions are
    not run unless the audit says so. `crash_state` is what the last new process came upon after all faults
    had been met, `restart` the number of that one. `share` counts the plans that it was made for: more than
    one where its parent stands for others.
    """

    plan: Plan
    claim: Claim | None
    violated: frozenset[str]
    held: frozenset[str]
    parent: Plan | None = None
    added: Injection | None = None
    extensions: tuple[Injection, ...] = ()
    cells: tuple[tuple[PointClass, str], ...] = ()
    signature: Hashable = None
    crash_state: Hashable = None
    restart: int = 0
    stands_for: list[Record] = field(default_factory=list)
    share: int = 1

    @property
    def weight(self) -> int:
        """How many plans it counts for: its share, and as much for each record that it stands for."""
        return self.share * (1 + len(self.stands_for))

    @property
    def crashes(self) -> tuple[Injection, ...]:
        """The faults in its plan that kill a process."""
        return tuple(filter(is_crash, self.plan))

    @property
    def lives(self) -> bool:
        """Whether no process died in this run."""
        return not self.crashes

    def until_a_crash(self) -> Record:
        """This record for a script that is the same until the process dies: extended by a crash only."""
        return replace(
            self,
            extensions=tuple(filter(is_crash, self.extensions)),
            stands_for=[record.until_a_crash() for record in self.stands_for],
        )


def is_crash(injection: Injection) -> bool:
    """Whether a fault kills the process."""
    return FAULTS[injection.fault].learnt is Learnt.DEATH


class Book:
    """All records of one script, by plan. `like` is the book of a script that is the same until a crash."""

    def __init__(self, like: Book | None = None) -> None:
        known = {} if like is None else like.by_plan
        self.by_plan: dict[Plan, Record] = {plan: record for plan, record in known.items() if record.lives}
        self.parents: list[list[Record]] = []

    def add(self, record: Record) -> None:
        """Keep a record."""
        self.by_plan[record.plan] = record

    def shown_by_less(self, plan: Plan, slug: str) -> bool:
        """Whether a part of the plan already violates the same check."""
        records = (self.by_plan.get(part) for part in plan.proper_subsets())
        return any(record is not None and slug in record.violated for record in records)

    def nearest_held(self, plan: Plan, slug: str) -> Plan | None:
        """The plan most like this one under which the check held; ties go to the smaller plan."""
        mine = set(plan)
        points = {injection.point for injection in plan}
        best: tuple[tuple[int, int, int], Plan] | None = None
        for other, record in self.by_plan.items():
            if slug not in record.held:
                continue
            theirs = {injection.point for injection in other}
            rank = (len(mine.symmetric_difference(other)), len(points ^ theirs), len(other))
            if best is None or rank < best[0]:
                best = (rank, other)
        return None if best is None else best[1]
