"""What a process that died left open, and whether a later one came back to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Answered, Asked, Died, Noted, Restarted
from sagaproof._model.fault import Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase
from sagaproof._model.words import mentions

__all__ = [
    "CRASHES",
    "came_back",
    "deaths",
    "is_wanted",
    "last_note",
    "named_to_a_person",
    "steps_forward",
]

CRASHES: Final = frozenset(name for name, fault in FAULTS.items() if fault.learnt is Learnt.DEATH)
"""The kinds of fault with which the process dies."""


def deaths(history: History) -> list[int]:
    """The positions at which a process died."""
    return [at for at, event in enumerate(history.events) if event.__class__ is Died]


def steps_forward(history: History) -> Iterator[Call]:
    """The calls on the way there that leave something for somebody to take back: class 3 to 5."""
    return (
        call
        for call in history.calls
        if call.operation.cls >= EffectClass.REVERSIBLE and call.phase is Phase.FORWARD
    )


def last_note(history: History, before: int) -> int:
    """The position of the last write that was kept in a store before this position; -1 if there is none."""
    for at in range(before - 1, -1, -1):
        event = history.events[at]
        if isinstance(event, Noted) and event.kept:
            return at
    return -1


def came_back(history: History, call: Call, death: int, *, by_agent: bool) -> bool:
    """Whether a process after this death repeated a call (under its key), undid it, or asked about it.

    A read does so if it shares its key, the object of its effect or any text argument. What an agent
    that feeds the saga makes it do counts only `by_agent`, but an undo always does.
    """
    fed = () if by_agent else _fed(history)
    for other in history.calls:
        for arrival in other.arrivals:
            if arrival.position < death:
                continue
            if other.undoes is not None and other.undoes.call == call.index:
                return True
            if any(begun < arrival.position < answered for begun, answered in fed):
                continue
            if other is call and arrival.called.key == call.first.key:
                return True
            if _asks_about(other, call):
                return True
    return False


def is_wanted(history: History, effect: Effect) -> bool:
    """Whether an effect is just what a completed saga leaves."""
    twin = history.twin
    if twin is None or twin.claim is not Claim.COMPLETED or isinstance(history.script.after_restart, tuple):
        return False
    meaning = history.meaning(effect)
    return history.net[meaning] <= twin.net[meaning]


def named_to_a_person(history: History, call: Call) -> bool:
    """Whether an open case names a call, by its key, its operation or what it left."""
    if not history.cases:
        return False
    names = {*call.keys, call.operation.name, call.operation.full, *(e.ref for e in call.effects)}
    return any(mentions(history.told_words, name) for name in names)


def _asks_about(other: Call, call: Call) -> bool:
    if other.operation.cls is not EffectClass.READ or other.operation.system != call.operation.system:
        return False
    theirs = {text for text in other.first.args.values() if isinstance(text, str)}
    ours = {text for text in call.first.args.values() if isinstance(text, str)}
    return not theirs.isdisjoint({*ours, *call.keys, *(effect.ref for effect in call.effects)})


def _fed(history: History) -> list[tuple[int, int]]:
    """The stretches of the history in which the saga works for its agent."""
    found: list[tuple[int, int]] = []
    open_since: dict[int, int] = {}
    for at, event in enumerate(history.events):
        if isinstance(event, Asked):
            open_since[event.step] = at
        elif isinstance(event, Answered):
            found.append((open_since.pop(event.step, at), at))
        elif isinstance(event, Died | Restarted):
            found.extend((begun, at) for begun in open_since.values())
            open_since.clear()
    return [*found, *((begun, len(history.events)) for begun in open_since.values())]
