"""What a campaign has to show: runs by size of plan, findings, cells, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from sagaproof._checks.protocol import Facts, RunName, State
from sagaproof._coverage.found import CodeFound
from sagaproof._model.finding import Finding
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.point import PointClass
from sagaproof._search.gaps import Gap
from sagaproof._search.reached import SometimesCount
from sagaproof._search.settings import Settings

__all__ = ["Campaign", "Cell", "CheckCount", "Level", "StandIn", "Status"]


class Status(StrEnum):
    """How a campaign ended, worst first; `exit_code` is what a process reports."""

    ERROR = "error"
    FINDINGS = "findings"
    INCOMPLETE = "incomplete"
    CLEAN = "clean"

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings, 2 incomplete, 3 harness error."""
        return {Status.CLEAN: 0, Status.FINDINGS: 1, Status.INCOMPLETE: 2, Status.ERROR: 3}[self]


@dataclass(slots=True)
class Level:
    """The plans with k faults: reachable = run + pruned + skipped.

    `bound` is exact where every one of them was generated, by_rule where those of pruned plans were counted
    by their representatives, lower where this size was not attempted or the ones before it not finished.
    `pruned_by` has what was pruned by each rule of `reduce.RULES`.
    """

    k: int
    run: int = 0
    skipped: int = 0
    audited: int = 0
    mismatched: int = 0
    bound: str = "exact"
    attempted: bool = True
    pruned_by: dict[str, int] = field(default_factory=dict)

    @property
    def pruned(self) -> int:
        """How many plans were left out because another one stands for them."""
        return sum(self.pruned_by.values())

    def prune(self, rule: str, plans: int) -> None:
        """Count plans that a rule leaves out."""
        if plans:
            self.pruned_by[rule] = self.pruned_by.get(rule, 0) + plans
            self.bound = "by_rule" if self.bound == "exact" else self.bound

    def skip(self, plans: int) -> None:
        """Count plans that the budget left no room for; from here on there may be more than are known."""
        self.skipped += plans
        self.bound = "lower"

    @property
    def reachable(self) -> int:
        """How many plans of this size there are, as far as known (see `bound`)."""
        return self.run + self.pruned + self.skipped

    @property
    def complete(self) -> bool:
        """Whether nothing was skipped."""
        return self.attempted and self.skipped == 0 and self.bound != "lower"


@dataclass(slots=True)
class CheckCount:
    """How often a check held, was violated, or was not reached; and whether it applies at all.

    One that judges runs is counted once a run; one that compares them once for the campaign, besides, with
    the verdict `over_runs`.
    """

    held: int = 0
    violated: int = 0
    not_reached: int = 0
    applies: bool = True
    over_runs: State | None = None

    def add(self, state: State) -> None:
        """Count one verdict."""
        if state is State.VIOLATED:
            self.violated += 1
        elif state is State.HELD:
            self.held += 1
        else:
            self.not_reached += 1


class StandIn(NamedTuple):
    """A plan that a rule left out, and the one of the same script that was run in its stead."""

    plan: Plan
    script: str
    rule: str
    instead: Plan


@dataclass(slots=True)
class Cell:
    """A point class under one kind of fault: how many runs had it, and how many of them violated a check.

    `ran` and `broke` are the smallest of those, `stand_in` the smallest plan that was left out for another.
    """

    runs: int = 0
    violated: int = 0
    inert: int = 0
    pruned: int = 0
    ran: RunName | None = None
    broke: RunName | None = None
    stand_in: StandIn | None = None


@dataclass(slots=True)
class Campaign:
    """The outcome of exploring one saga under test. `seconds` is real, `incomplete` says what is missing.

    Of a shard `gaps` says what may be missing, as far as this shard has seen.
    """

    name: str
    settings: Settings
    scripts: tuple[str, ...]
    levels: list[Level] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    checks: dict[str, CheckCount] = field(default_factory=dict)
    cells: dict[tuple[PointClass, str], Cell] = field(default_factory=dict)
    sometimes: dict[str, SometimesCount] = field(default_factory=dict)
    excluded: dict[tuple[str, str], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    facts: Facts | None = None
    baseline: History | None = None
    replayed: History | None = None
    code: CodeFound | None = None
    seconds: float = 0.0

    @property
    def runs(self) -> int:
        """All runs that were made, audits aside."""
        return sum(level.run for level in self.levels)

    def miss(self, gap: Gap) -> None:
        """Tell what was never come to. In a shard that spoils nothing yet."""
        if self.settings.shard is not None:
            self.gaps.append(gap)
        if not gap.spoils:
            self.notes.append(gap.text)
        elif self.settings.shard is None:
            self.incomplete.append(gap.text)

    @property
    def status(self) -> Status:
        """Errors of the harness win over findings, findings over what is missing."""
        if self.errors:
            return Status.ERROR
        if self.findings:
            return Status.FINDINGS
        return Status.INCOMPLETE if self.incomplete else Status.CLEAN
