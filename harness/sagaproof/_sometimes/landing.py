"""Calls that a service meets late, twice or not at all: a fence, a key, nothing to undo."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.answers import is_nothing_to_undo
from sagaproof._checks.doubt import SILENT_FAULTS
from sagaproof._checks.protocol import Facts
from sagaproof._model.history import Arrival, Call, History
from sagaproof._sometimes.kinds import DUPLICATES, FORGETTING, LATE, UNSENT, has_met
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["LANDING"]


# Nothing to undo ----------------------------------------------------------------------------------------


def _unwound(history: History) -> bool:
    return bool(history.undo_calls)


def _undoes_nothing(history: History) -> bool:
    return any(True for _ in _empty(history))


def _was_told_so(history: History) -> bool:
    return any(
        arrival.told is not None and (arrival.told.ok or is_nothing_to_undo(arrival.told))
        for call in _empty(history)
        for arrival in call.arrivals
    )


def _empty(history: History) -> Iterator[Call]:
    """The undos of calls that had left no effect by the time that they were first made."""
    for call in history.undo_calls:
        if call.undoes is not None and call.undoes.call is not None:
            effects = history.calls[call.undoes.call].effects
            if not any(history.applied_at[effect.id] < call.started for effect in effects):
                yield call


# A late call --------------------------------------------------------------------------------------------


def _sent_late(history: History) -> bool:
    return has_met(history, LATE)


def _landed_undone(history: History) -> bool:
    """Whether a call landed after an undo of it had been acknowledged."""
    return any(call.landed and _is_acknowledged(history, call) for call in history.calls)


def _is_acknowledged(history: History, call: Call) -> bool:
    return any(undo.ok for undo in history.undos_of.get(call.index, ()))


def _was_fenced(history: History) -> bool:
    return any(
        landed.outcome == "fenced" and _is_acknowledged(history, call)
        for call in history.calls
        for landed in call.landed
    )


# A key --------------------------------------------------------------------------------------------------


def _arrived_again(history: History) -> bool:
    return any(True for _ in _doubles(history))


def _was_absorbed(history: History) -> bool:
    return any(len(call.effects) == 1 for call in _doubles(history))


def _doubles(history: History) -> Iterator[Call]:
    """The calls that came to their service again, under the same key, after they had had their effect."""
    for call in history.calls:
        if call.effects and (len(call.arrivals) > 1 or call.first.fault in DUPLICATES):
            at = history.applied_at[call.effects[0].id]
            key = call.effects[0].key
            if key is not None and any(_comes_after(arrival, at, key) for arrival in call.arrivals):
                yield call


def _comes_after(arrival: Arrival, applied_at: int, key: str | None) -> bool:
    """Whether an attempt got through after that, or is the one that was delivered twice."""
    called, told = arrival.called, arrival.told
    if called.key != key:
        return False
    again = called.fault in DUPLICATES
    return again or (arrival.position > applied_at and told is not None and told.ok)


def _key_forgotten(history: History) -> bool:
    return has_met(history, FORGETTING)


def _came_back_to_it(history: History) -> bool:
    """Whether a key that was forgotten by then was used again, for the call or for a question."""
    for call in history.calls:
        for arrival in call.arrivals:
            if arrival.called.fault in FORGETTING and arrival.called.key is not None:
                return _is_used(history, arrival.called.key, arrival.position)
    return False


def _is_used(history: History, key: str, since: int) -> bool:
    return any(
        arrival.position > since and (arrival.called.key == key or key in arrival.called.args.values())
        for call in history.calls
        for arrival in call.arrivals
    )


# When they apply ----------------------------------------------------------------------------------------


def _undoes_by_key(facts: Facts) -> bool:
    return facts.undone_by_key and not (SILENT_FAULTS & UNSENT).isdisjoint(facts.faults)


def _is_held_back(facts: Facts) -> bool:
    return facts.undone_by_key and not LATE.isdisjoint(facts.faults)


def _repeats(facts: Facts) -> bool:
    return facts.keys and (facts.retried or not DUPLICATES.isdisjoint(facts.faults))


def _outlasts_keys(facts: Facts) -> bool:
    return facts.keys and not FORGETTING.isdisjoint(facts.faults)


LANDING = (
    Sometimes(
        "empty-rollback",
        (
            ("the unwind began", _unwound),
            ("it was to undo what had never happened", _undoes_nothing),
            ("and was told so", _was_told_so),
        ),
        _undoes_by_key,
    ),
    Sometimes(
        "late-call-fenced",
        (
            ("a call was held back on its way", _sent_late),
            ("it landed after its undo had been acknowledged", _landed_undone),
            ("and was turned away at the fence", _was_fenced),
        ),
        _is_held_back,
        faults_needed=2,
    ),
    Sometimes(
        "duplicate-absorbed",
        (
            ("a call came again under the key with which it had had its effect", _arrived_again),
            ("and had no other", _was_absorbed),
        ),
        _repeats,
    ),
    Sometimes(
        "key-expired",
        (
            ("a call outlasted the memory of its service for its key", _key_forgotten),
            ("and the key was used again", _came_back_to_it),
        ),
        _outlasts_keys,
    ),
)
