"""Rule R5: faults that went on alike twice are put, at the same point, as one of them from then on.

At each point all faults are tried under the first `EVIDENCE` plans that come to it. Those that looked alike
there each time are taken to look alike under every other plan: of them one is run. That is a heuristic, for
what a plan does before the point may tell them apart after all; the audit samples what it leaves out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import count
from typing import Final, NamedTuple

from sagaproof._model.plan import Injection, Plan
from sagaproof._model.point import Point
from sagaproof._search.record import Record

__all__ = ["EVIDENCE", "Carried", "Evidence", "Task"]

EVIDENCE: Final = 2
"""Under how many plans faults have to look alike before that is carried over to others."""


class Task(NamedTuple):
    """A plan to run: a record, and the fault that is added to its plan."""

    parent: Record
    injection: Injection

    @property
    def plan(self) -> Plan:
        """The plan of this run."""
        return self.parent.plan.plus(self.injection)


class Carried(NamedTuple):
    """A plan that is left out, and the one that is run in its stead: they differ in the added fault."""

    task: Task
    instead: Task


class Evidence:
    """What each fault at each point has looked like so far, in the runs of one script."""

    def __init__(self) -> None:
        self._seen: dict[Point, list[Plan]] = {}
        self._looks: dict[Injection, dict[Plan, int]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._count = count()
        self._alone: set[Injection] = set()

    def wanted(self, parents: Iterable[Record]) -> list[Task]:
        """The plans that have to be run to know what looks alike at the points that these come to."""
        return [
            Task(parent, injection)
            for parent in parents
            for injection in parent.extensions
            if self._is_evidence(parent.plan, injection.point)
        ]

    def _is_evidence(self, plan: Plan, point: Point) -> bool:
        seen = self._seen.setdefault(point, [])
        if plan not in seen and len(seen) < EVIDENCE:
            seen.append(plan)
        return plan in seen

    def add(self, task: Task, look: Hashable) -> None:
        """Keep what a run that was wanted looked like; looks are compared under one and the same plan."""
        number = self._numbers.get(look)
        if number is None:
            number = self._numbers[look] = next(self._count)
        self._looks.setdefault(task.injection, {})[task.parent.plan] = number

    def forget(self) -> None:
        """Let go of the looks of a size of plan that is done; what was alike is kept."""
        self._numbers.clear()

    def differ(self, injections: Iterable[Injection]) -> None:
        """Never take these faults for others again, each at its point."""
        self._alone.update(injections)

    def divide(self, parents: Iterable[Record], made: frozenset[Plan]) -> tuple[list[Task], list[Carried]]:
        """What of the plans not made yet is to be run, and what is left out for which of them."""
        run: list[Task] = []
        left: list[Carried] = []
        for parent in parents:
            first: dict[Hashable, Task] = {}
            for injection in parent.extensions:
                task = Task(parent, injection)
                instead = first.setdefault(self._kind(injection), task)
                if task.plan in made:
                    continue
                if instead is task:
                    run.append(task)
                else:
                    left.append(Carried(task, instead))
        return run, left

    def _kind(self, injection: Injection) -> Hashable:
        """Two faults with the same kind are alike; what is not known well enough is like nothing else."""
        looks = self._looks.get(injection, {})
        if injection in self._alone or len(looks) < EVIDENCE:
            return injection
        return frozenset(looks.items())
