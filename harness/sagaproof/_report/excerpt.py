"""Which rows of a timeline a card shows: all of a short one, of a long one what the finding is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sagaproof._report.schema import FindingPart, Step

__all__ = ["Block", "excerpt"]

_ROWS_MAX: Final = 24
_KEPT_AT_ENDS: Final = 2
_ALWAYS: Final = {"landed", "broke", "died", "spoiled", "restarted"}
"""The kinds of rows that are shown however long the timeline is."""


_PROCESS: Final = {"died", "spoiled"}


class Block(NamedTuple):
    """Some rows, after as many that are not shown."""

    hidden: int
    steps: Sequence[Step]


def excerpt(finding: FindingPart) -> list[Block]:
    """The rows to show: all of a short timeline, of a long one its ends and what the finding is about."""
    steps = _told_of(finding.timeline)
    if (
        steps
        and steps[-1].kind == "ended"
        and finding.claim in {"completed", "compensated", "escalated", "refused"}
    ):
        steps = steps[:-1]  # the headline of the card says it already
    if len(steps) <= _ROWS_MAX:
        return [Block(0, steps)]
    undone = {step.undoes for step in steps if step.about or step.faults}
    last = len(steps) - _KEPT_AT_ENDS
    blocks: list[Block] = []
    hidden, kept = 0, 0
    for position, step in enumerate(steps):
        noted = _is_of_note(step) or step.number in undone - {None}
        if position < _KEPT_AT_ENDS or position >= last or (noted and kept < _ROWS_MAX):
            blocks.append(Block(hidden, (step,)))
            hidden, kept = 0, kept + 1
        else:
            hidden += 1
    return blocks


def _is_of_note(step: Step) -> bool:
    told_of_failure = step.kind == "asked" and not step.ok
    event_astray = step.kind == "event" and step.happened
    return bool(step.about or step.faults or step.kind in _ALWAYS or told_of_failure or event_astray)


def _told_of(steps: Sequence[Step]) -> Sequence[Step]:
    """The rows without the writes, if no process died and no store failed: then they matter to nobody."""
    if any(step.kind in _PROCESS or (step.kind == "noted" and step.faults) for step in steps):
        return steps
    return [step for step in steps if step.kind != "noted"]
