"""Faults that are armed while a script is written, and put on the calls that then come.

An arm says: this fault, at the n-th next arrival that it fits. It is bound to a point by running the script
with what was bound before; one that never comes to its arrival does not enter the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sagaproof._machine.trials import Place, Trials
from sagaproof._model.event import Answered, Asked
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Injection
from sagaproof._model.script import Script

__all__ = ["ARMS_MAX", "Arm", "bound"]

ARMS_MAX = 2
"""The most faults in one example. Without a bound a right saga fails too: no undo is tried for ever."""


class Arm(NamedTuple):
    """A fault that lasts for `times` arrivals, at the `nth` (from 0) that it fits after a call was asked for.

    `after` is the id of that call; empty if the fault was armed when all calls had been made.
    """

    fault: str
    times: int
    nth: int
    after: str


def bound(trials: Trials, script: Script, arms: Sequence[Arm], twin: History) -> History:
    """The run of a script with its arms, as far as they are reached: its plan is what became of them."""
    history, plan = twin, EMPTY
    for arm in arms:
        injection = _bound(arm, trials.places(history), _since(arm, history))
        if injection is not None:
            plan = plan.plus(injection)
            history = trials.run(script, plan, twin)
    return history


def _bound(arm: Arm, places: Sequence[Place], since: int) -> Injection | None:
    left = arm.nth
    for place in places:
        if place.at < since:
            continue
        for injection in place.fitting:
            if injection.fault == arm.fault and injection.times == arm.times:
                if left == 0:
                    return injection
                left -= 1
    return None


def _since(arm: Arm, history: History) -> int:
    """The position from which arrivals count."""
    last = 0
    for at, event in enumerate(history.events):
        if isinstance(event, Asked):
            if event.call_id == arm.after:
                return at
            last = at
        elif isinstance(event, Answered):
            last = at
    return last if not arm.after else len(history.events)
