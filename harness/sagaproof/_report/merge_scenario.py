"""Reports of one scenario as one: shards are added up, repeats are laid over each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sagaproof._report.code_merge import merged_code
from sagaproof._report.grid_parts import cells_part
from sagaproof._report.merge_counts import (
    added_checks,
    added_sometimes,
    added_tally,
    all_findings,
    best_checks,
    best_sometimes,
    best_tally,
)
from sagaproof._report.merge_gaps import (
    gaps_of_all,
    is_skipped_line,
    missing_shards,
    notes_of_all,
    skipped_line,
)
from sagaproof._report.merge_grid import added_cells, merged_grid, settled, worst_cell
from sagaproof._report.schema import ExclusionPart, GapPart, ScenarioPart, ShardPart
from sagaproof._report.standing import counting
from sagaproof._search.campaign import Status

__all__ = ["added", "laid_over"]


def added(parts: Sequence[ScenarioPart]) -> ScenarioPart:
    """The scenario of which these are different shards. Once all are there, it is what one run would be."""
    if len(parts) == 1:
        (alone,) = parts
        return alone if alone.shard is None else _judged(_with_gaps(alone, parts))
    shard = _shards_of(parts)
    tally = added_tally([part.tally for part in parts])
    grid = merged_grid([part.grid for part in parts], added_cells)
    if shard is None:
        grid = merged_grid([grid], lambda cells: settled(cells[0]))
    merged = parts[0].model_copy(
        update={
            "tally": tally,
            "runs": sum(row.run for row in tally),
            "checks": added_checks([part.checks for part in parts]),
            "sometimes": added_sometimes([part.sometimes for part in parts]),
            "findings": all_findings([part.findings for part in parts], parts[0].scripts, add=True),
            "grid": grid,
            "cells": cells_part(grid),
            "excluded": _exclusions(parts),
            "errors": _once(line for part in parts for line in part.errors),
            "seconds": _seconds(parts),
            "shard": shard,
            "surplus": tuple(sorted({line for part in parts for line in part.surplus})),
        }
    )
    return _judged(_with_gaps(merged, parts))


def _shards_of(parts: Sequence[ScenarioPart]) -> ShardPart | None:
    """Which shards these are together; None for all of them."""
    shards = [part.shard for part in parts if part.shard is not None]
    numbers = tuple(sorted(number for shard in shards for number in shard.parts))
    return None if len(numbers) == shards[0].of else ShardPart(parts=numbers, of=shards[0].of)


def _with_gaps(merged: ScenarioPart, parts: Sequence[ScenarioPart]) -> ScenarioPart:
    """With what all parts together are missing; while there are more shards, those may still show it."""
    gaps = gaps_of_all(parts, merged)
    old = {missing_shards(part.shard) for part in parts if part.shard is not None}
    own = (line for part in parts for line in part.incomplete)
    lines = [line for line in own if line not in old and not is_skipped_line(line)]
    if merged.shard is not None:
        lines.append(missing_shards(merged.shard))
        left: Sequence[GapPart] = gaps
    else:
        lines += [gap.text for gap in gaps if gap.spoils and gap.kind not in {"expected", "idle"}]
        left = ()
    lines += skipped_line(parts, merged.tally)
    if merged.shard is None:
        lines += [gap.text for gap in gaps if gap.kind == "idle" and not lines]
    return merged.model_copy(
        update={
            "gaps": tuple(left),
            "incomplete": _once(lines),
            "notes": notes_of_all(parts, gaps),
            "missing": ()
            if merged.shard is not None
            else tuple(sorted(gap.about for gap in gaps if gap.kind == "expected")),
        }
    )


def laid_over(parts: Sequence[ScenarioPart]) -> ScenarioPart:
    """The scenario that was explored several times: of each cell, check and size the worst, else the fullest.

    What is missing of it, is what is missing of the most complete.
    """
    if len(parts) == 1:
        return parts[0]
    leader = min(parts, key=_incompleteness)
    tally = best_tally([part.tally for part in parts])
    grid = merged_grid([part.grid for part in parts], worst_cell)
    merged = leader.model_copy(
        update={
            "tally": tally,
            "runs": sum(row.run for row in tally),
            "checks": best_checks([part.checks for part in parts]),
            "sometimes": best_sometimes([part.sometimes for part in parts]),
            "findings": all_findings([part.findings for part in parts], leader.scripts, add=False),
            "grid": grid,
            "cells": cells_part(grid),
            "code": merged_code(part.code for part in parts if part.revision == leader.revision),
            "excluded": _exclusions(parts),
            "notes": _once(note for part in parts for note in part.notes),
            "errors": _once(line for part in parts for line in part.errors),
            "seconds": _seconds(parts),
            "surplus": tuple(sorted({line for part in parts for line in part.surplus})),
        }
    )
    return _judged(merged)


def _incompleteness(part: ScenarioPart) -> tuple[bool, int, int, int]:
    missing = 0 if part.shard is None else part.shard.of - len(part.shard.parts)
    return (part.replayed is not None, missing, len(part.incomplete) + len(part.errors), -part.runs)


def _judged(merged: ScenarioPart) -> ScenarioPart:
    """With the status that comes of its figures, as a campaign has it."""
    status = (
        Status.ERROR
        if merged.errors
        else Status.FINDINGS
        if merged.findings
        else Status.INCOMPLETE
        if merged.incomplete
        else Status.CLEAN
    )
    met = None if merged.expected_met is None else not merged.missing and not merged.surplus
    judged = merged.model_copy(update={"status": status.value, "expected_met": met})
    code = 2 * bool(merged.incomplete)
    if counting(judged) or merged.missing:
        code = Status.FINDINGS.exit_code
    return judged.model_copy(update={"exit_code": Status.ERROR.exit_code if merged.errors else code})


def _exclusions(parts: Iterable[ScenarioPart]) -> tuple[ExclusionPart, ...]:
    found = {(one.operation, one.fault): one for part in parts for one in part.excluded}
    return tuple(found[at] for at in sorted(found))


def _seconds(parts: Sequence[ScenarioPart]) -> float | None:
    known = [part.seconds for part in parts if part.seconds is not None]
    return round(sum(known), 3) if known else None


def _once(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
