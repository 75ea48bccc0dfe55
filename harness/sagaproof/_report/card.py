"""A finding as plain text: what is said against what is so, the calls that led there, how to see it again."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final, NamedTuple

from sagaproof._report.excerpt import Block, excerpt
from sagaproof._report.plain import shorten
from sagaproof._report.schema import FindingPart, ReplayPart, Step

__all__ = ["calls", "card"]

_SLUG: Final = 27
_TOLD_MAX: Final = 24
_REMARK_MAX: Final = 28
_MARKS: Final = {
    "landed": "~",
    "slept": ".",
    "wrote": "+",
    "broke": "!",
    "noted": "*",
    "died": "x",
    "spoiled": "%",
    "restarted": "@",
    "asked": ">",
    "event": "<",
    "ended": "=",
}


class _Columns(NamedTuple):
    what: int
    told: int
    width: int


def card(finding: FindingPart, also: Sequence[FindingPart] = (), *, width: int = 100) -> list[str]:
    """The lines of one finding, at most `width` characters each but for those to copy.

    `also` are further checks that the same run violates: named, one line each.
    """
    width = max(width, 40)
    return [
        *_says(finding, width),
        *_rows(finding, width),
        *_wrapped("   because ", finding.because, width),
        *(line for other in also for line in _wrapped(f"   also: {other.check}  ", other.says, width)),
        *([f"   explain {finding.help}"] if finding.help else []),
        f"   replay  {finding.replay}",
    ]


def calls(run: ReplayPart, *, width: int = 100) -> list[str]:
    """The rows of a run that is no finding: what was called, what was told, what came of it."""
    words = {fault.number: fault.text for fault in run.faults}
    return _lines([Block(0, run.timeline)], words, max(width, 40))


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
    return _lines(excerpt(finding), {fault.number: fault.text for fault in finding.faults}, width)


def _lines(blocks: Sequence[Block], words: dict[int, str], width: int) -> list[str]:
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


def _call(step: Step, words: dict[int, str], columns: _Columns) -> list[str]:
    what, told = shorten(step.what, columns.what), shorten(step.told, columns.told)
    line = f"{step.number:>4} {what:<{columns.what}}  {told:<{columns.told}}"
    if step.remark:
        line += f"  {shorten(step.remark, _REMARK_MAX)}"
    return _with_arrows(line, step, words, columns.width)


def _event(step: Step, words: dict[int, str], width: int) -> list[str]:
    if step.kind == "noted":
        text = ": ".join(filter(None, (f"{step.what} {step.happened}", step.remark)))
    else:
        text = ": ".join(filter(None, (step.what, step.happened)))
    told = f" -> {step.told}" if step.told else ""
    return _with_arrows(shorten(f"   {_MARKS[step.kind]} {text}{told}", width), step, words, width)


def _with_arrows(line: str, step: Step, words: dict[int, str], width: int) -> list[str]:
    """The row, and the faults that it met: the first behind it, if there is room, the others below."""
    arrows = [f"<- fault {number}: {words.get(number, '')}" for number in step.faults]
    if arrows and len(line) + 3 + len(arrows[0]) <= width:
        line += "   " + arrows.pop(0)
    return [line.rstrip(), *(shorten(f"         {arrow}", width) for arrow in arrows)]
