"""Which arcs of the measured code ran in which runs: a count, the kinds of fault, and one plan of each.

What is kept grows with the code and the kinds of fault, not with the runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sagaproof._coverage.found import RanUnder
from sagaproof._model.plan import EMPTY, Plan

__all__ = ["Arc", "Hits"]

Arc = tuple[int, int]
"""Two lines that ran one after the other; where only lines are measured, 0 and the line."""


class _Hit:
    __slots__ = ("faults", "plan", "runs")

    def __init__(self) -> None:
        self.runs = 0
        self.faults: set[str] = set()
        self.plan: Plan | None = None

    def add(self, plan: Plan) -> None:
        self.runs += 1
        if plan:
            self.faults.update(injection.fault for injection in plan)
        if self.plan is None or (len(plan), plan) < (len(self.plan), self.plan):
            self.plan = plan


class Hits:
    """Filled run by run."""

    def __init__(self) -> None:
        self._lines: dict[str, dict[int, _Hit]] = {}
        self._arcs: dict[str, dict[Arc, _Hit]] = {}

    @property
    def files(self) -> frozenset[str]:
        """The files of which anything ran."""
        return frozenset(self._lines)

    def arcs(self, file: str) -> Collection[Arc]:
        """All that ran of a file."""
        return self._arcs.get(file, {}).keys()

    def add(self, ran: Mapping[str, Iterable[Arc]], plan: Plan) -> None:
        """Take in what one run ran."""
        for file, arcs in ran.items():
            known = self._arcs.setdefault(file, {})
            lines: set[int] = set()
            for arc in arcs:
                lines.update(arc)
                known.setdefault(arc, _Hit()).add(plan)
            of_file = self._lines.setdefault(file, {})
            for line in lines:
                if line > 0:
                    of_file.setdefault(line, _Hit()).add(plan)

    def line(self, file: str, lines: Iterable[int]) -> RanUnder:
        """Under what the first of these lines ran that did; a statement may have several."""
        known = self._lines.get(file, {})
        return _told(next((known[line] for line in lines if line in known), None))

    def branch(self, file: str, arc: Arc) -> RanUnder:
        """Under what the second line ran right after the first."""
        return _told(self._arcs.get(file, {}).get(arc))


def _told(hit: _Hit | None) -> RanUnder:
    if hit is None:
        return RanUnder(0, (), "")
    return RanUnder(hit.runs, tuple(sorted(hit.faults)), str(EMPTY if hit.plan is None else hit.plan))
