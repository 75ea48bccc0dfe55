"""What is kept of a run once its history is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from sagaproof._model.claim import Claim
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
    whole: Hashable = None
    inert: bool = False
    crash_state: Hashable = None
    restart: int = 0
    stands_for: list[Record] = field(default_factory=list)
    left: Mapping[str, int] = field(default_factory=dict)

    @property
    def share(self) -> int:
        """How many plans it was made for, itself among them."""
        return 1 + sum(self.left.values())

    @property
    def rule(self) -> str:
        """The rule by which it may stand for others."""
        return "R1" if self.crash_state is None else "R2"

    def weighed(self) -> Mapping[str, int]:
        """How many plans that are left out its extensions count for, by rule: also what it stands for."""
        if not self.stands_for:
            return self.left
        weight = Counter(self.left)
        for record in self.stands_for:
            weight.update({record.rule: 1})
            weight.update(record.left)
        return weight

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
    """Whether a fault kills the process, or may."""
    return FAULTS[injection.fault].may_kill


class Book:
    """All records of one script, by plan. `like` is the book of a script that is the same until a crash.

    `instead` has what was run in the place of a plan that was left out.
    """

    def __init__(self, like: Book | None = None) -> None:
        self.like = like
        self.by_plan: dict[Plan, Record] = {}
        self.parents: list[list[Record]] = []
        self.instead: dict[Plan, Plan] = {}
        self.learn()

    def learn(self) -> None:
        """Take over what the book of the script like this one has by now: no process died in it."""
        if self.like is not None:
            lives = {plan: record for plan, record in self.like.by_plan.items() if record.lives}
            self.by_plan = lives | self.by_plan
            self.instead = self.like.instead | self.instead

    def add(self, record: Record) -> None:
        """Keep a record."""
        self.by_plan[record.plan] = record

    def run_for(self, plan: Plan) -> Record | None:
        """The record of a plan, or of what was run instead of it."""
        return self.by_plan.get(self.instead.get(plan, plan))

    def shown_by_less(self, plan: Plan, slug: str) -> bool:
        """Whether a part of the plan already violates the same check."""
        records = (self.by_plan.get(part) for part in plan.proper_subsets())
        return any(record is not None and slug in record.violated for record in records)

    def nearest_held(self, plan: Plan, slug: str) -> Plan | None:
        """The plan most like this one under which the check held, with more faults only if there is no other.

        Ties go to the smaller plan, then to one that extends the same.
        """
        mine = set(plan)
        parent = self.by_plan[plan].parent if plan in self.by_plan else None
        points = {injection.point for injection in plan}
        best: tuple[tuple[bool, int, int, int, bool], Plan] | None = None
        for other, record in self.by_plan.items():
            if slug not in record.held:
                continue
            theirs = {injection.point for injection in other}
            apart = (len(mine.symmetric_difference(other)), len(points ^ theirs))
            rank = (len(other) > len(plan), *apart, len(other), record.parent != parent)
            if best is None or rank < best[0]:
                best = (rank, other)
        return None if best is None else best[1]
