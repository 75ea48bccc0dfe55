"""Which planned fault meets an arrival, and how often each has been met."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import inf

from sagaproof._model.fault import Fault
from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import ALL, Injection, Plan
from sagaproof._model.point import Point
from sagaproof._taps.logical import LogicalCall

__all__ = ["Injector"]


class Injector:
    """The faults of a plan, waiting for their points. `met` counts the arrivals that each has hit."""

    __slots__ = ("_armed", "_lasting", "_stores", "met")

    def __init__(self, plan: Plan) -> None:
        self.met: dict[Injection, int] = dict.fromkeys(plan, 0)
        self._armed: dict[Point, Injection] = {injection.point: injection for injection in plan}
        self._lasting: list[tuple[Injection, float]] = []
        self._stores: list[tuple[Injection, int]] = []

    def fault_at(self, point: Point, logical: LogicalCall, now: float) -> Fault | None:
        """The fault for this arrival: one that reaches all calls, one planned here, or one that lasts."""
        if self._lasting:
            outage = self._reaching(point.operation, now)
            if outage is not None:
                self.met[outage] += 1
                return FAULTS[outage.fault]
        injection = self._armed.get(point)
        if injection is not None:
            logical.injection, logical.left = injection, injection.times
            fault = FAULTS[injection.fault]
            if fault.macro:
                until = now + fault.lasts_s if fault.lasts_s is not None else inf
                self._lasting.append((injection, until))
        if logical.injection is None or logical.left == 0:
            return None
        if logical.left != ALL:
            logical.left -= 1
        self.met[logical.injection] += 1
        return FAULTS[logical.injection.fault]

    def _reaching(self, operation: str, now: float) -> Injection | None:
        """The fault from an earlier call that this one meets as well."""
        for injection, until in self._lasting:
            if now < until and FAULTS[injection.fault].reaches(injection.point.operation, operation):
                return injection
        return None

    def lasting(self, calls: Iterable[LogicalCall]) -> Hashable:
        """The faults that go on without being planned again: outages, and durations that are not used up."""
        left = ((c.injection, c.left) for c in calls if c.injection is not None and c.left)
        return (tuple(self._lasting), tuple(left))

    def fault_at_write(self, point: Point) -> Fault | None:
        """The fault for a point that is no call: a write into a store, or an event.

        One that reaches all writes into its store is over at the next restart: somebody has seen to it.
        """
        injection = self._armed.get(point) or next(
            (i for i, restart in self._stores if restart == point.restart and _reaches(i, point)), None
        )
        if injection is None:
            return None
        if FAULTS[injection.fault].macro and not self.met[injection]:
            self._stores.append((injection, point.restart))
        self.met[injection] += 1
        return FAULTS[injection.fault]


def _reaches(injection: Injection, point: Point) -> bool:
    return FAULTS[injection.fault].reaches(injection.point.operation, point.operation)
