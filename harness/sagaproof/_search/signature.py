"""What a run looked like to everybody but the fault: two faults with one signature stand for each other."""

from __future__ import annotations

from collections.abc import Hashable

from sagaproof._model.event import (
    Answered,
    Applied,
    Broke,
    Called,
    Ended,
    Event,
    Landed,
    Noted,
    Restarted,
    Told,
)
from sagaproof._model.history import History, mask
from sagaproof._model.point import Phase, Point

__all__ = ["signature"]

_NOBODY: frozenset[str] = frozenset()


def signature(history: History, *, faulted_in: History | None = None) -> Hashable:
    """The calls, the answers to calls without a fault, the effects and the ending, as one hashable value.

    Left out: which fault it was, what its own caller was told, classes and texts of errors (also where a
    person was told of them), and all times. `faulted_in` leaves out what was told at the faulted points of
    another history, so that the two can be compared.
    """
    seen: list[Hashable] = []
    faulted = set() if faulted_in is None else _faulted(faulted_in)
    for event in history.events:
        match event:
            case Called():
                said = None if event.phase is Phase.ESCALATE else mask(event.args, _NOBODY)
                seen.append((event.call, event.point, event.phase, said, event.key))
                if event.fault is not None:
                    faulted.add((event.call, event.point))
            case Told() if (event.call, event.point) not in faulted:
                seen.append(
                    (
                        event.call,
                        event.learnt,
                        event.status,
                        None if _is_case(event, history) else mask(event.body, _NOBODY),
                    )
                )
            case _:
                look = _look_of(event)
                if look is not None:
                    seen.append(look)
    return tuple(seen)


def _look_of(event: Event) -> Hashable:
    """What counts of an event that is neither a call nor its answer; None if nothing does."""
    look: Hashable = None
    match event:
        case Applied(effect=effect):
            look = (effect.call, effect.ref, effect.amount, effect.undoes, event.late, event.again)
        case Landed():
            look = (event.call, event.outcome)
        case Noted():
            look = (event.point, event.kept)
        case Restarted():
            look = (event.restart, event.at_rest)
        case Answered():
            look = (event.step, event.outcome)
        case Broke():
            look = (event.system, event.invariant)
        case Ended(ending=ending):
            look = (ending.how, ending.claim, tuple(link.call for link in ending.errors))
        case _:
            pass
    return look


def _faulted(history: History) -> set[tuple[int, Point]]:
    return {(e.call, e.point) for e in history.events if isinstance(e, Called) and e.fault is not None}


def _is_case(told: Told, history: History) -> bool:
    return history.operations[told.point.operation].escalates
