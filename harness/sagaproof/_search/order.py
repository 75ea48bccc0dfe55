"""Which plans come first where there is not time for all: those that are likely to find something.

A fault is two halves, what becomes of the effect and what its caller learns. At each point one fault of each
combination comes before all others. Among those, what goes back, what cannot go back, what is kept and what
a new process does comes first (most bugs of error handling lie there), then two faults in one step.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from sagaproof._model.fault import Learnt, says_not_applied
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass
from sagaproof._model.plan import Injection, Plan
from sagaproof._model.point import Phase, Point
from sagaproof._search.carried import Task

__all__ = ["Order"]


class _Rank(NamedTuple):
    repeats: int
    place: int
    plan: Plan


class Order:
    """The order for one script; `undos` are operations that are known to take something back."""

    def __init__(self, baseline: History) -> None:
        self._first: dict[Hashable, Injection] = {}
        calls = baseline.calls
        self._telling = {
            c.operation.full
            for c in calls
            if c.phase is not Phase.FORWARD or c.operation.cls is EffectClass.IRREVERSIBLE
        }

    def sort(self, tasks: list[Task], undos: Iterable[str]) -> None:
        """Put them in order; what ranks alike stays in the order of the trace."""
        telling = self._telling | set(undos)
        for task in tasks:
            self._repeats(task.injection)
        tasks.sort(key=lambda task: self._rank(task, telling))

    def _rank(self, task: Task, telling: set[str]) -> _Rank:
        plan = task.parent.plan
        repeats = sum(map(self._repeats, plan)) + self._repeats(task.injection)
        return _Rank(repeats, self._place(task.injection.point, plan, telling), plan)

    def _place(self, point: Point, plan: Plan, telling: set[str]) -> int:
        if point.operation in telling or point.restart:
            return 0
        return 1 if any(point.operation == other.point.operation for other in plan) else 2

    def _repeats(self, injection: Injection) -> bool:
        """Whether a fault of the same two halves was put there before it."""
        fault = FAULTS[injection.fault]
        learns = fault.learnt if fault.learnt in {Learnt.ANSWER, Learnt.DEATH} else None
        halves = (fault.applied, learns, says_not_applied(fault), injection.times, fault.outlasts_key)
        return self._first.setdefault((injection.point, halves), injection) != injection
