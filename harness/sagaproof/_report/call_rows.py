"""The rows of a timeline about calls: the attempts that came in a row, and what of them arrives late."""

from __future__ import annotations

from sagaproof._model.event import Applied, Called, Landed
from sagaproof._model.history import History
from sagaproof._report.fault_words import FaultBook
from sagaproof._report.phrases import args_text, brief_args, changes_text, happened, remark, told_text
from sagaproof._report.plain import moment, one_line
from sagaproof._report.schema import Step
from sagaproof._report.sites import Sites
from sagaproof._report.visit import Visit, visits

__all__ = ["CallRows"]


class CallRows:
    """The rows of one history; `about` are the logical calls that a finding speaks of."""

    def __init__(self, history: History, sites: Sites, about: frozenset[int], book: FaultBook) -> None:
        self._history = history
        self._sites = sites
        self._about = about
        self._book = book
        self._visits = visits(history)
        self._late = {
            event.effect.id for event in history.events if isinstance(event, Applied) and event.late
        }
        self._landed_of: dict[int, int] = {}

    def called(self, position: int, _: Called) -> Step | None:
        """The row of the attempts that begin at this position of the history; None if it began before."""
        visit = self._visits.get(position)
        return None if visit is None else self._row(visit)

    def _row(self, visit: Visit) -> Step:
        call, first = visit.call, visit.first
        faults = (self._book.number_at(arrival.called) for arrival in visit.arrivals)
        undoes = None if call.undoes is None else call.undoes.call
        brief = brief_args(first.args)
        return Step(
            kind="call",
            at=moment(first.at),
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

    def landed(self, _: int, event: Landed) -> Step:
        """The row of a late arrival."""
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
            at=moment(event.at),
            what=f"{call.operation.full} of step {event.call + 1} arrives late",
            operation=call.operation.full,
            n=call.first.point.n,
            happened=text,
            applied=int(event.outcome == "applied"),
            remark=text,
            undoes=None if call.undoes is None or call.undoes.call is None else call.undoes.call + 1,
            about=event.call in self._about,
        )
