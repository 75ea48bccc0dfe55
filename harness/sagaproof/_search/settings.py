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
from sagaproof.errors import UsageError, suggest

__all__ = ["DURATIONS", "Exclusion", "Settings"]

DURATIONS = {"once": 1, "twice": 2, "all": ALL}


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
    the same, chosen by `seed`. `families` limits the fault families. `require_sometimes` names the sometimes
    properties without which a campaign is incomplete; True is all of them.
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
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.faults < 0:
            raise UsageError(f"faults={self.faults} is negative", advice="Use 0, 1, 2 or 3.")
        if self.statuses not in {"representative", "all"}:
            raise UsageError(f"statuses={self.statuses!r}", advice="Use 'representative' or 'all'.")
        for name in self.durations:
            if name not in DURATIONS:
                raise UsageError(f"there is no duration {name!r}", advice=suggest(name, DURATIONS))
        known = {fault.family for fault in FAULTS.values()}
        for name in self.families:
            if name not in known:
                raise UsageError(f"there is no fault family {name!r}", advice=suggest(name, known))

    def kinds(self) -> tuple[Fault, ...]:
        """The kinds of fault that this campaign uses, simplest first."""
        return tuple(
            fault
            for fault in FAULTS.values()
            if (self.statuses == "all" or fault.representative is None)
            and (fault.family in self.families if self.families else not fault.opt_in)
        )
