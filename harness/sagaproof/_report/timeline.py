"""The timeline of a run: a row for the attempts of a call that came in a row, and for what came between."""

from __future__ import annotations

from collections.abc import Iterable

from sagaproof._model.claim import Ending
from sagaproof._model.event import Applied, Broke, Called, Ended, Landed, Slept, Wrote
from sagaproof._model.history import History
from sagaproof._report.fault_words import FaultBook
from sagaproof._report.phrases import args_text, brief_args, changes_text, happened, remark, told_text
from sagaproof._report.plain import one_line
from sagaproof._report.schema import Step
from sagaproof._report.sites import Sites
from sagaproof._report.visit import Visit, visits

__all__ = ["timeline"]


def timeline(history: History, sites: Sites, about: Iterable[int] = ()) -> tuple[Step, ...]:
    """The rows of a history; `about` are the logical calls that a finding speaks of."""
    return _Timeline(history, sites, frozenset(about)).steps()


class _Timeline:
    def __init__(self, history: History, sites: Sites, about: frozenset[int]) -> None:
        self._history = history
        self._sites = sites
        self._about = about
        self._book = FaultBook(history.plan, history)
        self._visits = visits(history)
        self._late = {
            event.effect.id for event in history.events if isinstance(event, Applied) and event.late
        }
        self._began = False
        self._slept: list[Slept] = []
        self._broken: set[tuple[str, str, str]] = set()
        self._landed_of: dict[int, int] = {}

    def steps(self) -> tuple[Step, ...]:
        found: list[Step] = []
        for position, event in enumerate(self._history.events):
            if event.__class__ is Slept:
                assert isinstance(event, Slept)
                self._slept.append(event)
                continue
            step = self._step(position, event)
            if step is not None:
                found.extend((*self._waited(), step))
        return (*found, *self._waited())

    def _step(self, position: int, event: object) -> Step | None:
        if isinstance(event, Called):
            self._began = True
            visit = self._visits.get(position)
            return None if visit is None else self._call(visit)
        if isinstance(event, Landed):
            return self._landing(event)
        if isinstance(event, Wrote) and self._began:
            row = changes_text(event.system, (event.change,), self._history.tables)
            return Step(kind="wrote", at=_at(event.at), what=f"{event.system}: {row}, by no call")
        if isinstance(event, Broke):
            return self._break(event)
        if isinstance(event, Ended):
            return Step(kind="ended", at=_at(event.at), what=self._sites.short(_ending(event.ending)))
        return None

    def _call(self, visit: Visit) -> Step:
        call, first = visit.call, visit.first
        faults = (self._book.number_at(arrival.called) for arrival in visit.arrivals)
        undoes = None if call.undoes is None else call.undoes.call
        brief = brief_args(first.args)
        return Step(
            kind="call",
            at=_at(first.at),
            what=f"{first.point.operation} {brief}".rstrip(),
            number=call.index + 1,
            operation=first.point.operation,
            n=first.point.n,
            phase=first.phase.value,
            args=args_text(first.args),
            brief=brief,
            key=None if first.key is None else one_line(first.key),
            attempt=first.point.attempt,
            attempts=len(visit.arrivals),
            told=told_text(visit),
            ok=visit.ok,
            happened=happened(visit, self._history.tables),
            applied=len(visit.effects),
            remark=remark(visit, self._history.tables),
            undoes=None if undoes is None else undoes + 1,
            undoes_certain=call.undoes is None or call.undoes.certain,
            faults=tuple(dict.fromkeys(number for number in faults if number is not None)),
            about=call.index in self._about,
            site=self._sites.short(first.site),
        )

    def _landing(self, event: Landed) -> Step:
        call = self._history.calls[event.call]
        late = [effect for effect in call.effects if effect.id in self._late]
        nth = self._landed_of.get(event.call, 0)
        text = event.outcome
        if event.outcome == "applied":
            self._landed_of[event.call] = nth + 1
            if nth < len(late):
                text = f"applied: {changes_text(late[nth].system, late[nth].changes, self._history.tables)}"
        return Step(
            kind="landed",
            at=_at(event.at),
            what=f"{call.operation.full} of step {event.call + 1} arrives late",
            operation=call.operation.full,
            n=call.first.point.n,
            happened=text,
            applied=int(event.outcome == "applied"),
            remark=text,
            undoes=None if call.undoes is None or call.undoes.call is None else call.undoes.call + 1,
            about=event.call in self._about,
        )

    def _break(self, event: Broke) -> Step | None:
        key = (event.system, event.invariant, event.detail)
        if key in self._broken:
            return None
        self._broken.add(key)
        name = f"{event.system}.{event.invariant}" if event.system else event.invariant
        return Step(kind="broke", at=_at(event.at), what=one_line(f"{name} does not hold: {event.detail}"))

    def _waited(self) -> list[Step]:
        slept, self._slept = self._slept, []
        if not slept:
            return []
        times = "" if len(slept) == 1 else f" in {len(slept)} waits"
        seconds = sum(event.seconds for event in slept)
        return [Step(kind="slept", at=_at(slept[0].at), what=f"waited {seconds:.3g} s{times}")]


def _ending(ending: Ending) -> str:
    if ending.claim is not None and ending.how == "returned":
        return f"said '{ending.claim.value}'"
    where = f" at {ending.where}" if ending.where else ""
    if not ending.errors:
        return f"{ending.how}{where}"
    newest = ending.errors[0]
    return one_line(f"{ending.how} {newest.type}: {newest.text}{where}")


def _at(seconds: float) -> float:
    """Virtual time without the dust of binary fractions."""
    return round(seconds, 6)
