"""What a run looked like to everybody but the fault: two faults with one signature stand for each other."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import dropwhile
from typing import Any

from sagaproof._model.event import (
    Answered,
    Applied,
    Broke,
    Called,
    Ended,
    Event,
    Heard,
    Landed,
    Meddled,
    Noted,
    Notified,
    Paused,
    Restarted,
    Sent,
    Spoiled,
    Told,
    Woke,
)
from sagaproof._model.fault import Fault, Learnt, says_not_applied
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History, mask
from sagaproof._model.point import Phase, Point

__all__ = ["certainty", "learnt", "signature", "signature_since"]

_NOBODY: frozenset[str] = frozenset()


def signature(history: History, *, faulted_in: History | None = None, whole: bool = False) -> Hashable:
    """The calls, the answers to calls without a fault, the effects and the ending, as one hashable value.

    Left out: which fault it was, what its own caller was told, classes and texts of errors (also where a
    person was told of them), and all times. `faulted_in` leaves out what was told at the faulted points of
    another history, so that the two can be compared. `whole` leaves in what the callers of faulted calls
    were told: of two runs with the same nobody can tell which is which, but by the time that they took.
    """
    seen: list[Hashable] = []
    faulted = set() if faulted_in is None else _faulted(faulted_in)
    for event in history.events:
        if isinstance(event, Called):
            seen.append((event.call, event.point, event.phase, _said(event), event.key))
            if event.fault is not None and not whole:
                faulted.add((event.call, event.point))
        elif isinstance(event, Told):
            if (event.call, event.point) not in faulted:
                seen.append((event.call, *_heard(event, history)))
        else:
            look = _look_of(event)
            if look is not None:
                seen.append(look)
    return (tuple(seen), _pace(history))


def _pace(history: History) -> Hashable:
    """How long it took, where calls overlap: there it depends on waits who comes first."""
    under_way = 0
    for event in history.events:
        under_way += isinstance(event, Called)
        under_way -= isinstance(event, Told)
        if isinstance(event, Restarted):
            under_way = 0  # the dead are told nothing
        if under_way > 1:
            return round(history.events[min(history.ended_at, len(history.events) - 1)].at, 1)
    return None


def certainty(history: History) -> Hashable:
    """What the faults of the plan leave the caller in doubt of: it may go on otherwise much later.

    That is whether a write was applied, and how it was refused: to ask again after a 429 is right, after a
    401 once, after a 422 never.
    """
    return tuple(
        (
            injection.point,
            history.operations[injection.point.operation].writes
            and says_not_applied(FAULTS[injection.fault]),
            _refusal(FAULTS[injection.fault]),
        )
        for injection in history.plan
    )


def _refusal(fault: Fault) -> int | None:
    """The status with which a call was refused, if it was by one."""
    status = fault.status
    return status if fault.learnt is Learnt.STATUS and status is not None and status < 500 else None


def learnt(history: History) -> tuple[Hashable, ...]:
    """What the callers of faulted calls have in hand: the answer where it was a success, else nothing.

    They may use it only much later, as the reference of what is to be undone.
    """
    faulted = _faulted(history)
    return tuple(
        _heard(event, history) if event.ok else None
        for event in history.of(Told)
        if (event.call, event.point) in faulted
    )


def signature_since(history: History, restart: int) -> Hashable:
    """What happened from a restart on, whatever numbers the calls before it have used up."""
    since = dropwhile(lambda e: not (isinstance(e, Restarted) and e.restart == restart), history.events)
    return tuple(_unnumbered(event, history) for event in since)


def _unnumbered(event: Event, history: History) -> Hashable:
    """What counts of an event when it does not matter the how-manieth call it belongs to."""
    look: Hashable
    match event:
        case Called():
            look = (event.point.operation, event.phase, _said(event), event.key, event.fault)
        case Told():
            look = (event.point.operation, *_heard(event, history))
        case Applied(effect=effect):
            look = (effect.full, effect.ref, effect.amount, effect.undoes is None, event.late)
        case Ended(ending=ending):
            look = (ending.how, ending.claim)
        case Landed():
            look = event.outcome
        case Meddled():
            look = event.kind
        case Paused() | Woke():
            look = event.restart
        case _:
            look = _unnumbered_write(event)
    return look


def _unnumbered_write(event: Event) -> Hashable:
    """The same of a write into a store, and of an event that a system sends."""
    match event:
        case Noted():
            return (event.point.operation, event.kept)
        case Spoiled():
            return (event.point.operation, event.harm)
        case Sent() | Notified():
            return (event.point.operation, event.type)
        case Heard():
            return (event.point.operation, *_look_of_message(event)[1:])
        case _:
            return _look_of(event)


def _said(called: Called) -> Hashable:
    return None if called.phase is Phase.ESCALATE else mask(called.args, _NOBODY)


def _heard(told: Told, history: History) -> tuple[Hashable, ...]:
    """What an answer says; of a case nothing but that it was opened."""
    if history.operations[told.point.operation].escalates:
        return (told.learnt, told.status)
    return (told.learnt, told.status, mask(_timeless(told.body, history), _NOBODY))


def _timeless(value: Any, history: History) -> Any:
    """An answer without its moments: the texts in fields that never count as a difference."""
    if isinstance(value, Mapping):
        moments = history.moments
        return {
            name: _timeless(inner, history)
            for name, inner in value.items()
            if name not in moments or not isinstance(inner, str)
        }
    return [_timeless(inner, history) for inner in value] if isinstance(value, list) else value


def _look_of(event: Event) -> Hashable:
    """What counts of an event that is neither a call nor its answer; None if nothing does."""
    look: Hashable = None
    match event:
        case Applied(effect=effect):
            look = (effect.call, effect.ref, effect.amount, effect.undoes, event.late, event.again)
        case Landed():
            look = (event.call, event.outcome)
        case Meddled():
            look = (event.call, event.kind)
        case Noted() | Spoiled():
            look = (event.point, event.kept if isinstance(event, Noted) else event.harm)
        case Sent() | Notified() | Heard():
            look = _look_of_message(event)
        case Restarted() | Paused() | Woke():
            look = event[1:]
        case Answered():
            look = (event.step, event.outcome)
        case Broke():
            look = (event.system, event.invariant)
        case Ended(ending=ending):
            look = (ending.how, ending.claim, tuple(link.call for link in ending.errors))
        case _:
            pass
    return look


def _look_of_message(event: Sent | Notified | Heard) -> tuple[Hashable, ...]:
    """What counts of an event that a system sends, of its arrival, and of what the saga made of it."""
    if isinstance(event, Heard):
        return (event.point, event.claim, event.error.partition(":")[0])
    late = event.late if isinstance(event, Notified) else None
    return (event.__class__.__name__, event.point, event.type, late)


def _faulted(history: History) -> set[tuple[int, Point]]:
    return {(e.call, e.point) for e in history.events if isinstance(e, Called) and e.fault is not None}
