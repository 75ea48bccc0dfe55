"""A rate limit that says how long to wait, and whether the next attempt did."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from sagaproof._checks.protocol import Verdict, violated
from sagaproof._checks.say import asked_for, call_text
from sagaproof._model.event import Asked
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Arrival, Call, History

__all__ = ["due", "too_soon"]

_DATE_S: Final = 2.0
"""How far ahead the fault `429-date` says."""

_ROUNDING_S: Final = 0.001


def too_soon(history: History, call: Call) -> Verdict | None:
    """The violation of a call that was made again before the time that it was told."""
    for before, after in pairwise(call.arrivals):
        earliest = due(call, before)
        if earliest is None or after.called.at >= earliest - _ROUNDING_S or before.told is None:
            continue
        if after.position < before.told_position:
            continue  # side by side
        if before.called.point.restart != after.called.point.restart:
            continue  # a new process has not been told
        if any(isinstance(event, Asked) for event in history.events[before.told_position : after.position]):
            continue  # it is the agent that asks again, and it was told that the call had failed
        wait = after.called.at - before.told.at
        return violated(
            f"{call_text(call)} was made again after {wait:.4g} s, "
            f"but was told to wait {_asked_wait(before)}",
            because=f"{asked_for(call)} was told '429' with Retry-After",
            calls=[call.index],
        )
    return None


def due(call: Call, arrival: Arrival) -> float | None:
    """The earliest moment for the next attempt, if this one was told of one.

    A date has whole seconds (RFC 9110, 5.6.7), and so has the moment at which each run begins. The header
    does not get through to the caller of a wrapped tool.
    """
    fault = None if arrival.called.fault is None else FAULTS[arrival.called.fault]
    if fault is None or fault.retry_after is None or arrival.told is None or call.operation.system == "tools":
        return None
    if fault.retry_after == "date":
        return math.floor(arrival.called.at + _DATE_S)
    return arrival.told.at + float(fault.retry_after)


def _asked_wait(arrival: Arrival) -> str:
    after = FAULTS[arrival.called.fault or ""].retry_after
    return f"until a date {_DATE_S:.0f} s ahead" if after == "date" else f"{after} s"
