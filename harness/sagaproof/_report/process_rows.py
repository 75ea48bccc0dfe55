"""The rows of a timeline about the process of a saga: what it wrote down, where it died, its restarts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sagaproof._model.event import Died, Noted, Paused, Restarted, Spoiled, Woke
from sagaproof._model.fault import Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.point import Point
from sagaproof._report.plain import moment, one_line, shorten
from sagaproof._report.schema import Step
from sagaproof._report.sites import Sites

__all__ = ["died", "joins", "noted", "paused", "restarted", "spoiled", "woke"]

_WORD_MAX: Final = 24
_WORDS_MAX: Final = 3
_GIST_MAX: Final = 60


def joins(one: Noted, other: Noted) -> bool:
    """Whether two writes, the second right after the first, are one row: no fault was put on either."""
    same = one.point.operation == other.point.operation and one.kept == other.kept
    return same and one.fault is None and other.fault is None


def noted(writes: Sequence[Noted], fault: int | None, sites: Sites) -> Step:
    """Some writes in a row that were all kept or all not; `fault` is the number of the one that they met."""
    first, last = writes[0], writes[-1]
    until = f" to {last.point.n}" if len(writes) > 1 else ""
    became = "written" if first.kept else "lost" if _is_death(first.fault) else "failed"
    return Step(
        kind="noted",
        at=moment(first.at),
        what=f"{_name(first.point)}{until}",
        operation=first.point.operation,
        n=first.point.n,
        phase=first.phase.value,
        attempts=len(writes),
        ok=first.kept,
        happened=became,
        remark=shorten(_gist([write.record for write in writes]), _GIST_MAX),
        faults=() if fault is None else (fault,),
        site=sites.short(first.site),
    )


def died(event: Died) -> Step:
    """Where the process died."""
    point = event.point
    what = f"the process died at {_name(point)}"
    return Step(kind="died", at=moment(event.at), what=what, operation=point.operation, n=point.n)


def spoiled(event: Spoiled) -> Step:
    """What became of a record that was kept."""
    point = event.point
    what = f"{_name(point)} is {event.harm}"
    return Step(kind="spoiled", at=moment(event.at), what=what, operation=point.operation, n=point.n)


def restarted(event: Restarted) -> Step:
    """A new process."""
    does = "recovers" if not event.at_rest else "looks, at rest, for what is left to do"
    what = f"restart {event.restart}: a new process {does}"
    return Step(kind="restarted", at=moment(event.at), what=what, n=event.restart)


def paused(event: Paused) -> Step:
    """Where the process stood still."""
    point = event.point
    what = f"the process stands still at {_name(point)}"
    return Step(kind="died", at=moment(event.at), what=what, operation=point.operation, n=point.n)


def woke(event: Woke) -> Step:
    """The process that stood still goes on."""
    which = f"restart {event.restart}" if event.restart else "the first process"
    return Step(kind="restarted", at=moment(event.at), what=f"{which} goes on, and knows nothing of that")


def _is_death(fault: str | None) -> bool:
    return fault is not None and FAULTS[fault].learnt is Learnt.DEATH


def _name(point: Point) -> str:
    """The point by its call; how often there had been a restart is told by the rows before it."""
    return str(point._replace(restart=0))


def _gist(records: Sequence[object]) -> str:
    """What the records are known by; of each but the first only what the one before it did not say."""
    gists: list[str] = []
    before: list[str] = []
    for record in records:
        words = _words(record)
        gists.append(" ".join(word for word in words if word not in before))
        before = words
    return "; ".join(filter(None, gists))


def _words(record: object) -> list[str]:
    """The first short texts in a record, in its order."""
    texts = (one_line(text) for text in _texts(record))
    short = dict.fromkeys(text for text in texts if text and len(text) <= _WORD_MAX)
    return list(short)[:_WORDS_MAX]


def _texts(record: object) -> Iterator[str]:
    if isinstance(record, str):
        yield record
    elif isinstance(record, Mapping):
        for value in record.values():
            yield from _texts(value)
    elif isinstance(record, list):
        for value in record:
            yield from _texts(value)
