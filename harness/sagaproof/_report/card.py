"""A finding as plain text: what is said against what is so, the calls that led there, how to see it again."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final, NamedTuple

from sagaproof._report.plain import shorten
from sagaproof._report.schema import FindingPart, ReplayPart, Step

__all__ = ["calls", "card"]

_SLUG: Final = 27
_ROWS_MAX: Final = 24
_KEPT_AT_ENDS: Final = 2
_TOLD_MAX: Final = 24
_REMARK_MAX: Final = 28
_MARKS: Final = {
    "landed": "~",
    "slept": ".",
    "wrote": "+",
    "broke": "!",
    "noted": "*",
    "died": "x",
    "restarted": "@",
    "asked": ">",
    "ended": "=",
}
_ALWAYS: Final = {"landed", "broke", "died", "restarted"}
"""The kinds of rows that stand in a card however long its timeline is."""


class _Columns(NamedTuple):
    what: int
    told: int
    width: int


class _Block(NamedTuple):
    """Some rows, after as many that are not shown."""

    hidden: int
    steps: Sequence[Step]


def card(finding: FindingPart, also: Sequence[FindingPart] = (), *, width: int = 100) -> list[str]:
    """The lines of one finding, at most `width` characters each but for the line to copy.

    `also` are further checks that the same run violates: named, one line each.
    """
    width = max(width, 40)
    return [
        *_says(finding, width),
        *_rows(finding, width),
        *_wrapped("   because ", finding.because, width),
        *(line for other in also for line in _wrapped(f"   also: {other.check}  ", other.says, width)),
        f"   replay  {finding.replay}",
    ]


def calls(run: ReplayPart, *, width: int = 100) -> list[str]:
    """The rows of a run that is no finding: what was called, what was told, what came of it."""
    words = {fault.number: fault.text for fault in run.faults}
    return _lines([_Block(0, run.timeline)], words, max(width, 40))


def _says(finding: FindingPart, width: int) -> list[str]:
    slug = f" {finding.check}".ljust(_SLUG) + " "
    if width - len(slug) >= len(slug):
        return _wrapped(slug, finding.says, width)
    return [slug.rstrip(), *_wrapped("   ", finding.says, width)]


def _wrapped(head: str, text: str, width: int) -> list[str]:
    if not text:
        return []
    indent = " " * (len(head) if len(head) <= width // 2 else 5)
    return textwrap.wrap(
        text,
        width,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _rows(finding: FindingPart, width: int) -> list[str]:
    return _lines(_shown(finding), {fault.number: fault.text for fault in finding.faults}, width)


def _lines(blocks: Sequence[_Block], words: dict[int, str], width: int) -> list[str]:
    made = [step for block in blocks for step in block.steps if step.kind == "call"]
    told = min(max((len(step.told) for step in made), default=0), _TOLD_MAX)
    remark = min(max((len(step.remark) for step in made), default=0), _REMARK_MAX)
    what = min(max((len(step.what) for step in made), default=0), max(12, width - told - remark - 9))
    columns = _Columns(what, told, width)
    lines: list[str] = []
    for block in blocks:
        if block.hidden:
            lines.append(f"     ... {block.hidden} more, nothing of note ...")
        for step in block.steps:
            lines.extend(_call(step, words, columns) if step.kind == "call" else _event(step, words, width))
    return lines


def _shown(finding: FindingPart) -> list[_Block]:
    """The rows to show: all of a short timeline, of a long one its ends and what the finding is about."""
    steps = _told_of(finding.timeline)
    if (
        steps
        and steps[-1].kind == "ended"
        and finding.claim in {"completed", "compensated", "escalated", "refused"}
    ):
        steps = steps[:-1]  # the headline of the card says it already
    if len(steps) <= _ROWS_MAX:
        return [_Block(0, steps)]
    undone = {step.undoes for step in steps if step.about or step.faults}
    last = len(steps) - _KEPT_AT_ENDS
    blocks: list[_Block] = []
    hidden, kept = 0, 0
    for position, step in enumerate(steps):
        noted = step.about or step.faults or step.kind in _ALWAYS or step.number in undone - {None}
        if position < _KEPT_AT_ENDS or position >= last or (noted and kept < _ROWS_MAX):
            blocks.append(_Block(hidden, (step,)))
            hidden, kept = 0, kept + 1
        else:
            hidden += 1
    return blocks


def _call(step: Step, words: dict[int, str], columns: _Columns) -> list[str]:
    what, told = shorten(step.what, columns.what), shorten(step.told, columns.told)
    line = f"{step.number:>4} {what:<{columns.what}}  {told:<{columns.told}}"
    if step.remark:
        line += f"  {shorten(step.remark, _REMARK_MAX)}"
    return _with_arrows(line, step, words, columns.width)


def _event(step: Step, words: dict[int, str], width: int) -> list[str]:
    happened = f": {step.happened}" if step.happened else ""
    told = f" -> {step.told}" if step.told else ""
    line = shorten(f"   {_MARKS[step.kind]} {step.what}{happened}{told}", width)
    return _with_arrows(line, step, words, width)


def _with_arrows(line: str, step: Step, words: dict[int, str], width: int) -> list[str]:
    """The row, and the faults that it met: the first behind it, if there is room, the others below."""
    arrows = [f"<- fault {number}: {words.get(number, '')}" for number in step.faults]
    if arrows and len(line) + 3 + len(arrows[0]) <= width:
        line += "   " + arrows.pop(0)
    return [line.rstrip(), *(shorten(f"         {arrow}", width) for arrow in arrows)]


def _told_of(steps: Sequence[Step]) -> Sequence[Step]:
    """The rows without the writes of a process that never died: what was written then matters to nobody."""
    if any(step.kind == "died" for step in steps):
        return steps
    return [step for step in steps if step.kind != "noted"]
