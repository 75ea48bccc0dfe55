"""The events of a history sorted out once: its logical calls with their attempts, its effects, its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sagaproof._model.effect import Binding, Effect
from sagaproof._model.event import (
    Applied,
    Broke,
    Called,
    Ended,
    Event,
    Landed,
    Rejected,
    Restarted,
    Told,
    Wrote,
)
from sagaproof._model.operation import Operation
from sagaproof._model.point import Phase

__all__ = ["Arrival", "Call", "Index"]


class Arrival:
    """One attempt of a logical call: what arrived and what its caller was told (None: nothing yet)."""

    __slots__ = ("called", "position", "told", "told_position")

    def __init__(self, position: int, called: Called) -> None:
        self.position = position
        self.called = called
        self.told: Told | None = None
        self.told_position = -1


class Call:
    """A logical call with all its attempts. `answered` is the position of its first success, -1 if none."""

    __slots__ = ("answered", "arrivals", "effects", "index", "landed", "operation", "rejections")

    def __init__(self, index: int, operation: Operation) -> None:
        self.index = index
        self.operation = operation
        self.arrivals: list[Arrival] = []
        self.effects: list[Effect] = []
        self.rejections: list[Rejected] = []
        self.landed: list[Landed] = []
        self.answered = -1

    @property
    def first(self) -> Called:
        """The first arrival's event."""
        return self.arrivals[0].called

    @property
    def started(self) -> int:
        """The position of the first arrival in the history."""
        return self.arrivals[0].position

    @property
    def phase(self) -> Phase:
        """What the call was for."""
        return self.first.phase

    @property
    def undoes(self) -> Binding | None:
        """What it was meant to take back."""
        return self.first.undoes

    @property
    def ok(self) -> bool:
        """Whether its caller ever learnt a success."""
        return self.answered >= 0

    @property
    def last_told(self) -> Told | None:
        """What the caller was told last."""
        return next((a.told for a in reversed(self.arrivals) if a.told is not None), None)

    @property
    def keys(self) -> tuple[str | None, ...]:
        """The idempotency key of each attempt."""
        return tuple(a.called.key for a in self.arrivals)


class Index:
    """One pass over the events. `applied_at` is by effect id; `broke` are the broken invariants in order.

    `ended_at` is the position at which the saga ended, or the number of events if it did not. `failed` counts
    the arrivals that were not answered with success, `restarts` the new processes before the end. `outside`
    holds what other writers wrote since the first call, each with its position; what came before is set-up.
    """

    __slots__ = ("applied_at", "broke", "calls", "effects", "ended_at", "failed", "outside", "restarts")

    def __init__(self, events: Sequence[Event], operations: Mapping[str, Operation]) -> None:
        self.calls: list[Call] = []
        self.effects: list[Effect] = []
        self.applied_at: list[int] = []
        self.broke: list[Broke] = []
        self.outside: list[tuple[int, Wrote]] = []
        self.ended_at = len(events)
        self.restarts = 0
        failed = 0
        calls = self.calls
        for position, event in enumerate(events):
            if isinstance(event, Called):
                if event.call == len(calls):
                    calls.append(Call(event.call, operations[event.point.operation]))
                calls[event.call].arrivals.append(Arrival(position, event))
                failed += 1
            elif isinstance(event, Told):
                _tell(calls[event.call], event, position)
                failed -= event.ok
            elif isinstance(event, Applied):
                calls[event.effect.call].effects.append(event.effect)
                self.effects.append(event.effect)
                self.applied_at.append(position)
            else:
                self._rest(event, position)
        self.failed = failed

    def _rest(self, event: Event, position: int) -> None:
        """The kinds that are rare."""
        match event:
            case Rejected():
                self.calls[event.call].rejections.append(event)
            case Landed():
                self.calls[event.call].landed.append(event)
            case Broke():
                self.broke.append(event)
            case Wrote() if self.calls:
                self.outside.append((position, event))
            case Ended():
                self.ended_at = position
            case Restarted() if not event.at_rest:
                self.restarts += 1
            case _:
                pass


def _tell(call: Call, told: Told, position: int) -> None:
    for arrival in reversed(call.arrivals):
        if arrival.told is None and arrival.called.point == told.point:
            arrival.told = told
            arrival.told_position = position
            break
    if told.ok and call.answered < 0:
        call.answered = position
