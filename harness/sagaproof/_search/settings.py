"""What a campaign explores, and how far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from sagaproof._model.event import Called
from sagaproof._model.fault import Fault
from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import ALL
from sagaproof._run.runner import Limits
from sagaproof._search.shard import Shard
from sagaproof.errors import UsageError, suggest

__all__ = ["CRASHES", "DURATIONS", "Exclusion", "Settings"]

DURATIONS = {"once": 1, "twice": 2, "all": ALL}

CRASHES = ("simulated", "real")
"""How a process dies: by an exception that nothing of it survives in the world, or by SIGKILL."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A cell that is left out on purpose: glob patterns for operation and fault, and the reason why."""

    operation: str
    fault: str
    reason: str

    def covers(self, operation: str, fault: str) -> bool:
        """Whether this exclusion leaves that fault out at that operation."""
        return fnmatchcase(operation, self.operation) and fnmatchcase(fault, self.fault)


@dataclass(frozen=True, slots=True)
class Condition:
    """Where a fault is put on some calls only: glob patterns for operation and fault, and which calls."""

    operation: str
    fault: str
    holds: Callable[[Called], bool]
    cell: str = ""

    def covers(self, operation: str, fault: str) -> bool:
        """Whether this condition speaks of that fault at that operation."""
        return fnmatchcase(operation, self.operation) and fnmatchcase(fault, self.fault)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a campaign.

    `faults` is k, the most faults in one plan. `statuses` is "representative" (503 and 422 stand for their
    kind) or "all". `durations` are names from `DURATIONS`. `runs_max` and `seconds_max` (real time) bound a
    campaign; what they cut off is counted as skipped. `audit` is the share of pruned plans that is run all
    the same, chosen by `seed`. `families` limits the fault families, and "+lie" adds one to those used
    anyway. `require_sometimes` names the sometimes properties without which a campaign is incomplete; True is
    all of them. `crash` is one of `CRASHES`. With `coverage` it is measured which lines of the undo code ran
    under which plans. With `shard` only a share of the plans is counted. `workers` are the processes that run
    them, those of a cluster if `executor` names one: what is found is the same.
    """

    faults: int = 2
    statuses: str = "representative"
    durations: tuple[str, ...] = ("once", "all")
    families: tuple[str, ...] = ()
    exclude: tuple[Exclusion, ...] = ()
    when: tuple[Condition, ...] = ()
    runs_max: int = 100_000
    seconds_max: float | None = None
    reduce: bool = True
    audit: float = 0.02
    seed: int = 0
    require_sometimes: bool | tuple[str, ...] = False
    crash: str = "simulated"
    shard: Shard | None = None
    coverage: bool = False
    workers: int = 1
    executor: str = ""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.faults < 0:
            raise UsageError(f"faults={self.faults} is negative", advice="Use 0, 1, 2 or 3.")
        if self.statuses not in {"representative", "all"}:
            raise UsageError(f"statuses={self.statuses!r}", advice="Use 'representative' or 'all'.")
        self._refuse_to_measure_apart()
        if self.workers < 1:
            raise UsageError(
                f"workers={self.workers}", advice="Use 1 (no others), or how many you have cores."
            )
        if self.crash not in CRASHES:
            raise UsageError(f"crash={self.crash!r}", advice="Use 'simulated' or 'real'.")
        for name in self.durations:
            if name not in DURATIONS:
                raise UsageError(f"there is no duration {name!r}", advice=suggest(name, DURATIONS))
        known = {fault.family for fault in FAULTS.values()}
        for name in self.families:
            if name.removeprefix("+") not in known:
                raise UsageError(f"there is no fault family {name!r}", advice=suggest(name, known))

    def _refuse_to_measure_apart(self) -> None:
        if self.coverage and (self.workers > 1 or self.executor):
            raise UsageError(
                "coverage is not measured in workers", advice="Use --saga-coverage without them."
            )
        if self.coverage and self.shard is not None:
            raise UsageError("coverage is not measured in shards", advice="Use --saga-coverage without one.")

    def kinds(self) -> tuple[Fault, ...]:
        """The kinds of fault that this campaign uses, simplest first."""
        return tuple(
            fault
            for fault in FAULTS.values()
            if (self.statuses == "all" or fault.representative is None) and self._asks_for(fault)
        )

    def _asks_for(self, fault: Fault) -> bool:
        """Whether its family is named; names with a plus come on top of what is used anyway."""
        if f"+{fault.family}" in self.families:
            return True
        only = [name for name in self.families if not name.startswith("+")]
        return fault.family in only if only else not fault.opt_in
