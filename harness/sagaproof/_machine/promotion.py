"""Scripts that reached something new, explored with all single faults once the machine has played.

What is drawn meets a script under one plan or two. One that came to a kind of step under a kind of fault
that no script before it had come to is worth them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Final

from sagaproof._machine.found import Found
from sagaproof._machine.session import Session
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Injection
from sagaproof._model.script import Script

__all__ = ["RUNS_MAX", "Promotion", "promote"]

RUNS_MAX: Final = 4000
"""So many runs at most, each under one fault."""


@dataclass(slots=True)
class Promotion:
    """How far it came: `scripts` of `of` were explored, in `runs`; `left` single faults were not tried."""

    scripts: int = 0
    of: int = 0
    runs: int = 0
    left: int = 0


def promote(
    session: Session, scripts_max: int, is_enough: Callable[[], bool], runs_max: int = RUNS_MAX
) -> Iterator[Found]:
    """Yield a finding for each kind that the machine has not found yet.

    The shortest scripts come first, and by turns a fault of each, so that a budget that ends cuts off none
    of them whole.
    """
    told = session.promotion = Promotion(of=len(session.promoted))
    chosen = sorted((script for script, _ in session.promoted.values()), key=lambda one: len(one.calls))
    chosen = chosen[:scripts_max]
    told.scripts = len(chosen)
    singles = [_singles(session, script) for script in chosen]
    todo = [one for one in chain.from_iterable(zip_longest(*singles)) if one is not None]
    for number, (script, injection, twin) in enumerate(todo):
        if told.runs >= runs_max or is_enough():
            told.left = len(todo) - number
            return
        told.runs += 1
        history = session.trials.run(script, EMPTY.plus(injection), twin)
        error = session.judged_alone(history)
        if error is not None:
            yield error


def _singles(session: Session, script: Script) -> list[tuple[Script, Injection, History]]:
    """Each fault that fits a point of the run without any, with that run."""
    twin = session.trials.fault_free(script)
    return [(script, one, twin) for place in session.trials.places(twin) for one in place.fitting]
