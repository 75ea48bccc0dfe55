"""The tally: for each size of plan what is reachable, run, pruned and skipped, and the line that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sagaproof._search.campaign import Campaign, Level
from sagaproof.errors import InternalError

__all__ = ["TallyRow", "ledger", "rows", "total"]


@dataclass(frozen=True, slots=True)
class TallyRow:
    """The plans with k faults. Raises `InternalError` unless reachable = run + pruned + skipped.

    `bound` says what `reachable` is: exact, by_rule (counted by representatives) or lower (at least so many).
    `pruned_by` has what each rule left out.
    """

    k: int
    reachable: int
    bound: str
    run: int
    pruned: int
    skipped: int
    audited: int
    mismatched: int
    complete: bool
    attempted: bool
    pruned_by: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.reachable != self.run + self.pruned + self.skipped:
            raise InternalError(
                f"{self.reachable} reachable plans are not {self.run} run + {self.pruned} pruned + "
                f"{self.skipped} skipped",
                where=f"the tally of plans with {self.k} faults",
                advice="Please report this with the plan and the settings of the campaign.",
            )


def rows(campaign: Campaign) -> tuple[TallyRow, ...]:
    """One row for each size of plan, from none to the first size that was not attempted."""
    return tuple(_row(level) for level in campaign.levels)


def total(tally: tuple[TallyRow, ...]) -> TallyRow:
    """The rows that were attempted, added up: k is the largest size among them."""
    tried = [row for row in tally if row.attempted]
    bounds = [row.bound for row in tried]
    return TallyRow(
        max((row.k for row in tried), default=0),
        sum(row.reachable for row in tried),
        next((bound for bound in ("lower", "by_rule") if bound in bounds), "exact"),
        sum(row.run for row in tried),
        sum(row.pruned for row in tried),
        sum(row.skipped for row in tried),
        sum(row.audited for row in tried),
        sum(row.mismatched for row in tried),
        all(row.complete for row in tried) and bool(tried),
        bool(tried),
        sum((Counter(row.pruned_by) for row in tried), Counter()),
    )


def ledger(row: TallyRow) -> str:
    """A row as one line that adds up: `k=1  46 reachable = 46 run + 0 pruned + 0 skipped  complete`."""
    if not row.attempted:
        return f"k={row.k}  >={row.reachable} known  not attempted"
    reach = f">={row.reachable}" if row.bound == "lower" else f"{row.reachable}"
    parts = f"{row.run} run + {row.pruned} pruned + {row.skipped} skipped"
    return f"k={row.k}  {reach} reachable = {parts}  {_ending(row)}"


def _ending(row: TallyRow) -> str:
    word = "complete" if row.complete else "not complete"
    if row.complete and row.bound == "by_rule":
        word = "complete by rule"
    if row.audited:
        agree = row.audited - row.mismatched
        word += f" (audit {agree}/{row.audited} agree)"
    return word


def _row(level: Level) -> TallyRow:
    return TallyRow(
        level.k,
        level.reachable,
        level.bound,
        level.run,
        level.pruned,
        level.skipped,
        level.audited,
        level.mismatched,
        level.complete,
        level.attempted,
        dict(sorted(level.pruned_by.items())),
    )
