"""The timeline of a run: a row for the attempts of a call that came in a row, and for what came between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sagaproof._model.claim import Ending
from sagaproof._model.event import (
    Asked,
    Broke,
    Called,
    Died,
    Ended,
    Heard,
    Landed,
    Noted,
    Notified,
    Paused,
    Restarted,
    Sent,
    Slept,
    Spoiled,
    Woke,
    Wrote,
)
from sagaproof._model.history import History
from sagaproof._report.agent_rows import asked_rows
from sagaproof._report.call_rows import CallRows
from sagaproof._report.event_rows import EventRows
from sagaproof._report.fault_words import FaultBook
from sagaproof._report.phrases import changes_text
from sagaproof._report.plain import moment, one_line
from sagaproof._report.process_rows import died, joins, noted, paused, restarted, spoiled, woke
from sagaproof._report.schema import Step
from sagaproof._report.sites import Sites

__all__ = ["timeline"]


def timeline(
    history: History, sites: Sites, about: Iterable[int] = (), *, fold: bool = True
) -> tuple[Step, ...]:
    """The rows of a history; `about` are the logical calls that a finding speaks of.

    Without `fold` each write into a store has a row of its own, so that two timelines compare row by row.
    """
    return _Timeline(history, sites, frozenset(about), fold=fold).steps()


class _Timeline:
    def __init__(self, history: History, sites: Sites, about: frozenset[int], *, fold: bool) -> None:
        self._history = history
        self._sites = sites
        self._fold = fold
        self._book = FaultBook(history.plan, history)
        self._began = False
        self._row: list[Slept | Noted] = []
        self._broken: set[tuple[str, str, str]] = set()
        events = EventRows(history, self._book)
        calls, asked = CallRows(history, sites, frozenset(about), self._book), asked_rows(history.events)
        self._rows: dict[type, Callable[[int, Any], Step | None]] = {
            Called: calls.called,
            Landed: calls.landed,
            Asked: lambda position, _: asked[position],
            Sent: events.sent,
            Notified: events.notified,
            Heard: events.heard,
            Died: lambda _, event: died(event),
            Spoiled: lambda _, event: spoiled(event),
            Restarted: lambda _, event: restarted(event),
            Paused: lambda _, event: paused(event),
            Woke: lambda _, event: woke(event),
            Wrote: self._wrote,
            Broke: self._broke,
            Ended: self._ended,
        }

    def steps(self) -> tuple[Step, ...]:
        found: list[Step] = []
        for position, event in enumerate(self._history.events):
            self._began = self._began or event.__class__ is Called
            if isinstance(event, Slept | Noted):
                found.extend(() if self._joins(event) else self._folded())
                self._row.append(event)
            elif event.__class__ in self._rows:
                step = self._rows[event.__class__](position, event)
                found.extend(() if step is None else (*self._folded(), step))
        return (*found, *self._folded())

    def _wrote(self, _: int, event: Wrote) -> Step | None:
        if not self._began:
            return None
        row = changes_text(event.system, (event.change,), self._history.tables)
        return Step(kind="wrote", at=moment(event.at), what=f"{event.system}: {row}, by no call")

    def _broke(self, _: int, event: Broke) -> Step | None:
        key = (event.system, event.invariant, event.detail)
        if key in self._broken:
            return None
        self._broken.add(key)
        name = f"{event.system}.{event.invariant}" if event.system else event.invariant
        return Step(kind="broke", at=moment(event.at), what=one_line(f"{name} does not hold: {event.detail}"))

    def _ended(self, _: int, event: Ended) -> Step:
        return Step(kind="ended", at=moment(event.at), what=self._sites.short(_ending(event.ending)))

    def _joins(self, event: Slept | Noted) -> bool:
        """Whether it belongs to the row of what came just before it."""
        last = self._row[-1] if self._row else None
        if isinstance(last, Noted) and isinstance(event, Noted):
            return self._fold and joins(last, event)
        return isinstance(last, Slept) and isinstance(event, Slept)

    def _folded(self) -> list[Step]:
        row, self._row = self._row, []
        slept = [event for event in row if isinstance(event, Slept)]
        writes = [event for event in row if isinstance(event, Noted)]
        if slept:
            return [_waited(slept)]
        return [noted(writes, self._book.number_at(writes[0]), self._sites)] if writes else []


def _waited(slept: list[Slept]) -> Step:
    times = "" if len(slept) == 1 else f" in {len(slept)} waits"
    seconds = sum(event.seconds for event in slept)
    return Step(kind="slept", at=moment(slept[0].at), what=f"waited {_long(seconds)}{times}")


def _long(seconds: float) -> str:
    """A time in the unit in which it is read: 1.5 s, 10 min, 48 h."""
    units = ((7200.0, 3600.0, "h"), (120.0, 60.0, "min"))
    size, unit = next(((size, unit) for least, size, unit in units if seconds >= least), (1.0, "s"))
    return f"{seconds / size:.3g} {unit}"


def _ending(ending: Ending) -> str:
    if ending.claim is not None and ending.how == "returned":
        return f"said '{ending.claim.value}'"
    where = f" at {ending.where}" if ending.where else ""
    if not ending.errors:
        return f"{ending.how}{where}"
    newest = ending.errors[0]
    return one_line(f"{ending.how} {newest.type}: {newest.text}{where}")
