"""The rows of a timeline about events: what a system sent, when it came if not at once, what was said."""

from __future__ import annotations

from sagaproof._model.event import Heard, Notified, Sent
from sagaproof._model.history import History
from sagaproof._model.point import Point
from sagaproof._report.fault_words import FaultBook
from sagaproof._report.plain import moment, one_line
from sagaproof._report.schema import Step

__all__ = ["EventRows"]


class EventRows:
    """Makes the rows of one history. An event that comes at once, as it should, has but one."""

    def __init__(self, history: History, book: FaultBook) -> None:
        self._book = book
        self._on_time: set[Point] = {e.point for e in history.of(Sent) if e.fault is None}

    def sent(self, _: int, event: Sent) -> Step:
        """A system sends an event."""
        number = self._book.number_at(event)
        point = event.point
        return Step(
            kind="event",
            at=moment(event.at),
            what=f"{point._replace(restart=0)} {event.type}",
            operation=point.operation,
            n=point.n,
            phase=event.phase.value,
            ok=True,
            faults=() if number is None else (number,),
        )

    def notified(self, _: int, event: Notified) -> Step | None:
        """It comes at another moment than the one at which it was sent, or once more."""
        if event.point in self._on_time and not event.late:
            return None
        comes = "comes after the end" if event.late else "comes"
        again = ", once more" if event.point.attempt > 1 else ""
        return self._step(event, event.type, f"{comes}{again}")

    def heard(self, _: int, event: Heard) -> Step:
        """What its handler said."""
        if event.claim is not None:
            return self._step(event, "the handler", f"says '{event.claim.value}'", ok=True)
        return self._step(event, "the handler", f"raises {event.error}", ok=False)

    @staticmethod
    def _step(event: Notified | Heard, what: str, happened: str, *, ok: bool = True) -> Step:
        point = event.point
        return Step(
            kind="event",
            at=moment(event.at),
            what=what,
            operation=point.operation,
            n=point.n,
            ok=ok,
            happened=one_line(happened),
        )
