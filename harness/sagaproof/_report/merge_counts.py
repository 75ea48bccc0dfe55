"""What several reports of one scenario have counted, as one: added up for shards, else the fuller of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeVar

from sagaproof._report.build import tally_part
from sagaproof._report.plan_order import size_of
from sagaproof._report.schema import CheckPart, FindingPart, SometimesPart, TallyPart
from sagaproof._report.standing import key_of
from sagaproof._tally.rows import TallyRow

__all__ = [
    "added_checks",
    "added_sometimes",
    "added_tally",
    "all_findings",
    "best_checks",
    "best_sometimes",
    "best_tally",
]

T = TypeVar("T")
Over = Literal["held", "violated", "not reached"]

_BOUNDS: Final = ("exact", "by_rule", "lower")
_CHECKS: Final = ("violated", "held", "not reached", "not applicable")
_SOMETIMES: Final = ("reached", "not reached", "too few faults", "not applicable")


def _by(rows: Iterable[tuple[object, T]]) -> list[list[T]]:
    found: dict[object, list[T]] = {}
    for name, row in rows:
        found.setdefault(name, []).append(row)
    return list(found.values())


# The tally ----------------------------------------------------------------------------------------------


def added_tally(tallies: Sequence[Sequence[TallyPart]]) -> tuple[TallyPart, ...]:
    """For each number of faults the sums."""
    rows = _by((row.k, row) for tally in tallies for row in tally)
    return tuple(_sum(found) for found in sorted(rows, key=lambda found: found[0].k))


def _sum(rows: Sequence[TallyPart]) -> TallyPart:
    by_rule: Counter[str] = Counter()
    for row in rows:
        by_rule.update({one.rule: one.plans for one in row.pruned_by})
    return tally_part(
        TallyRow(
            rows[0].k,
            sum(row.reachable for row in rows),
            max((row.bound for row in rows), key=_BOUNDS.index),
            sum(row.run for row in rows),
            sum(row.pruned for row in rows),
            sum(row.skipped for row in rows),
            sum(row.audited for row in rows),
            sum(row.mismatched for row in rows),
            complete=all(row.complete for row in rows),
            attempted=any(row.attempted for row in rows),
            pruned_by=dict(sorted(by_rule.items())),
        )
    )


def best_tally(tallies: Sequence[Sequence[TallyPart]]) -> tuple[TallyPart, ...]:
    """For each number of faults the row that is complete, or else has most."""
    rows = _by((row.k, row) for tally in tallies for row in tally)
    found = (
        max(rows_of_k, key=lambda row: (row.attempted, row.complete, row.run + row.pruned, row.reachable))
        for rows_of_k in rows
    )
    return tuple(sorted(found, key=lambda row: row.k))


# Checks -------------------------------------------------------------------------------------------------


def added_checks(checks: Sequence[Sequence[CheckPart]]) -> tuple[CheckPart, ...]:
    """For each check the sums; what a check says over all runs of each shard is one verdict."""
    return tuple(map(_check, _by((row.check, row) for rows in checks for row in rows)))


def _check(rows: Sequence[CheckPart]) -> CheckPart:
    counts = Counter[str]()
    for row in rows:
        counts.update({"held": row.held, "violated": row.violated, "not reached": row.not_reached})
        counts.subtract(filter(None, (row.over_runs,)))
    over = _over_runs(rows)
    counts.update(filter(None, (over,)))
    applies = any(row.state != "not applicable" for row in rows)
    return CheckPart(
        check=rows[0].check,
        state="violated"
        if counts["violated"]
        else "held"
        if counts["held"]
        else "not reached"
        if applies
        else "not applicable",
        held=counts["held"],
        violated=counts["violated"],
        not_reached=counts["not reached"],
        over_runs=over,
    )


def _over_runs(rows: Sequence[CheckPart]) -> Over | None:
    found = [row.over_runs for row in rows if row.over_runs is not None]
    return min(found, key=_CHECKS.index) if found else None


def best_checks(checks: Sequence[Sequence[CheckPart]]) -> tuple[CheckPart, ...]:
    """Of each check the worst row, and of those the one with most runs."""
    rows = _by((row.check, row) for found in checks for row in found)
    return tuple(
        min(found, key=lambda row: (_CHECKS.index(row.state), -row.held - row.violated)) for found in rows
    )


# States to be reached -----------------------------------------------------------------------------------


def added_sometimes(rows: Sequence[Sequence[SometimesPart]]) -> tuple[SometimesPart, ...]:
    """For each state the sums, and the first run of the campaign that came furthest."""
    return tuple(
        best.model_copy(
            update={
                "count": sum(row.count for row in found),
                "state": min((row.state for row in found), key=_SOMETIMES.index),
            }
        )
        for found in _by((row.sometimes, row) for part in rows for row in part)
        for best in [min(found, key=lambda row: (-row.best, row.number))]
    )


def best_sometimes(rows: Sequence[Sequence[SometimesPart]]) -> tuple[SometimesPart, ...]:
    """Of each state the row that came furthest."""
    found = _by((row.sometimes, row) for part in rows for row in part)
    return tuple(
        min(same, key=lambda row: (_SOMETIMES.index(row.state), -row.best, -row.count)) for same in found
    )


# Findings -----------------------------------------------------------------------------------------------


def all_findings(
    findings: Sequence[Sequence[FindingPart]], scripts: Sequence[str], *, add: bool
) -> tuple[FindingPart, ...]:
    """Each finding with its smallest plan. The plans that show it add up, or else the most of them count."""
    place = {name: number for number, name in enumerate(scripts)}

    def size(part: FindingPart) -> tuple[object, ...]:
        return (*size_of(part.plan), place.get(part.script, len(place)))

    merged = []
    for same in _by(((one.check, one.where, one.claim), one) for part in findings for one in part):
        plans = [one.plans for one in same]
        count = sum(plans) if add and not same[0].over_runs else max(plans)
        reasons = [one.known for one in same]
        known = None if None in reasons else reasons[0]
        merged.append(min(same, key=size).model_copy(update={"plans": count, "known": known}))
    return tuple(sorted(merged, key=lambda one: (size_of(one.plan), one.check, key_of(one))))
