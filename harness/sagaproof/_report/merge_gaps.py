"""What is missing of a campaign, from what its shards have missed: a gap of all is one of the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sagaproof._model.plan import Plan
from sagaproof._report.schema import GapPart, ScenarioPart, ShardPart, SometimesPart, TallyPart
from sagaproof._search.coverage import never_called, never_taken_back
from sagaproof._search.reached import SometimesCount, never_reached

__all__ = ["gaps_of_all", "is_skipped_line", "missing_shards", "notes_of_all", "skipped_line"]

_SKIPPED: Final = re.compile(r"\d+ plans were skipped: (.+)")
_LISTS: Final = {"taken back": never_taken_back, "called": never_called}


def gaps_of_all(parts: Sequence[ScenarioPart], merged: ScenarioPart) -> tuple[GapPart, ...]:
    """The gaps that are left, by the counts of all parts together, in the order of their kinds."""
    states = {row.check: row.state for row in merged.checks}
    reached = {row.sometimes: row for row in merged.sometimes}
    has_faults = any(row.run for row in merged.tally if row.k)
    left: dict[tuple[str, str], GapPart] = {}
    for gap in (gap for part in parts for gap in part.gaps):
        match gap.kind:
            case "check":
                is_left = states.get(gap.about) == "not reached"
            case "sometimes":
                is_left = reached[gap.about].state != "reached"
                gap = _reworded(gap, reached[gap.about])  # noqa: PLW2901  # the same gap, with other figures
            case "idle":
                is_left = not has_faults
            case "taken back" | "called":
                is_left, gap = _listed(gap, parts)  # noqa: PLW2901  # as above
            case _:
                is_left = all((gap.kind, gap.about) in _names(part) for part in parts)
        if is_left:
            left.setdefault((gap.kind, gap.about), gap)
    return tuple(left.values())


def _names(part: ScenarioPart) -> set[tuple[str, str]]:
    return {(gap.kind, gap.about) for gap in part.gaps}


def _reworded(gap: GapPart, row: SometimesPart) -> GapPart:
    """How near all shards together came to a state, in words."""
    if row.state != "not reached":
        text = f"sometimes {gap.about} is required, and was not reached: {row.state}"
        return gap.model_copy(update={"text": text, "spoils": False})
    run = None if row.plan is None or row.script is None else (row.script, Plan.parse(row.plan))
    count = SometimesCount(row.stages, row.count, row.best, run)
    return gap.model_copy(update={"text": never_reached(gap.about, count), "spoils": True})


def _listed(gap: GapPart, parts: Sequence[ScenarioPart]) -> tuple[bool, GapPart]:
    """What of a list is in those of all parts."""
    lists = [next((one.about.split(", ") for one in part.gaps if one.kind == gap.kind), []) for part in parts]
    names = [name for name in lists[0] if all(name in one for one in lists)]
    update = {"about": ", ".join(names), "text": _LISTS[gap.kind](names)}
    return bool(names), gap.model_copy(update=update)


def notes_of_all(parts: Sequence[ScenarioPart], gaps: Sequence[GapPart]) -> tuple[str, ...]:
    """The notes of all parts, each once, but for gaps that are none: what is left of them is in its place."""
    left: Mapping[str, str] = {gap.kind: gap.text for gap in gaps if gap.kind in _LISTS}
    texts = {gap.text for gap in gaps if not gap.spoils}
    of_gaps = {gap.text: gap for part in parts for gap in part.gaps if not gap.spoils}
    found: list[str] = []
    for note in (note for part in parts for note in part.notes):
        gap = of_gaps.get(note)
        if gap is None or note in texts:
            found.append(note)
        elif gap.kind in left:
            found.append(left[gap.kind])
    return tuple(dict.fromkeys([*found, *(text for text in texts if text not in found)]))


def skipped_line(parts: Iterable[ScenarioPart], tally: Iterable[TallyPart]) -> tuple[str, ...]:
    """How many plans all parts together have skipped, and why the first of them did."""
    skipped = sum(row.skipped for row in tally if row.attempted)
    why = [match[1] for part in parts for line in part.incomplete if (match := _SKIPPED.fullmatch(line))]
    return (f"{skipped} plans were skipped: {why[0]}",) if skipped and why else ()


def is_skipped_line(line: str) -> bool:
    """Whether a line says how many plans one part has skipped."""
    return bool(_SKIPPED.fullmatch(line))


def missing_shards(shard: ShardPart) -> str:
    """The line that says which shards are not there."""
    left = [str(number) for number in range(1, shard.of + 1) if number not in shard.parts]
    word = "shard" if len(left) == 1 else "shards"
    verb = "is" if len(left) == 1 else "are"
    names = left[0] if len(left) == 1 else f"{', '.join(left[:-1])} and {left[-1]}"
    return f"{word} {names} of {shard.of} {verb} missing"
