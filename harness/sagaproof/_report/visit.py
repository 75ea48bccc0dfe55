"""The attempts of a logical call that came in a row, nothing else in between: one row of a timeline."""

from __future__ import annotations

from collections.abc import Iterable

from sagaproof._model.effect import Effect
from sagaproof._model.event import (
    Applied,
    Asked,
    Called,
    Died,
    Landed,
    Paused,
    Rejected,
    Restarted,
    Spoiled,
    Woke,
)
from sagaproof._model.fault import Lands
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Arrival, Call, History

__all__ = ["Visit", "visits"]


class Visit:
    """Some attempts of a call, with the effects and refusals that they led to at once."""

    __slots__ = ("arrivals", "call", "effects", "rejections")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.arrivals: list[Arrival] = []
        self.effects: list[Effect] = []
        self.rejections: list[Rejected] = []

    @property
    def first(self) -> Called:
        """The event of the first of these attempts."""
        return self.arrivals[0].called

    @property
    def ok(self) -> bool:
        """Whether one of these attempts was told a success."""
        return any(arrival.told is not None and arrival.told.ok for arrival in self.arrivals)

    @property
    def lands(self) -> Lands | None:
        """When the effect of these attempts arrives, if they were held back."""
        faults = (FAULTS[a.called.fault] for a in self.arrivals if a.called.fault is not None)
        return next((fault.lands for fault in faults if fault.lands is not None), None)


def visits(history: History) -> dict[int, Visit]:
    """Each visit by the position of its first arrival.

    A late landing in between begins a new one, and so does another process, or the agent asking again.
    """
    found: dict[int, Visit] = {}
    latest: dict[int, Visit] = {}
    current: Visit | None = None
    for position, event in enumerate(history.events):
        if isinstance(event, Called):
            if current is None or current.call.index != event.call:
                current = found[position] = latest[event.call] = Visit(history.calls[event.call])
            current.arrivals.append(_arrival(current.call.arrivals, position))
        elif isinstance(event, Landed | Died | Paused | Restarted | Spoiled | Woke | Asked):
            current = None
        elif isinstance(event, Applied) and not event.late:
            latest[event.effect.call].effects.append(event.effect)
        elif isinstance(event, Rejected) and not event.late:
            latest[event.call].rejections.append(event)
    return found


def _arrival(arrivals: Iterable[Arrival], position: int) -> Arrival:
    return next(arrival for arrival in arrivals if arrival.position == position)
