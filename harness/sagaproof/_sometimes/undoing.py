"""Undos that fail: tried again until they succeed, given up and told, two of them at once."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.answers import is_nothing_to_undo
from sagaproof._checks.protocol import Facts
from sagaproof._model.history import Arrival, Call, History
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["UNDOING"]


def _failures(call: Call) -> Iterator[Arrival]:
    """The attempts that were told a failure; that there is nothing to undo is none."""
    for arrival in call.arrivals:
        told = arrival.told
        if told is not None and not told.ok and not is_nothing_to_undo(told):
            yield arrival


def _undo_failed(history: History) -> bool:
    return not history.smooth and any(True for call in history.undo_calls for _ in _failures(call))


def _tried_again(history: History) -> bool:
    return any(
        failed.told_position < call.arrivals[-1].position
        for call in history.undo_calls
        for failed in _failures(call)
    )


def _succeeded_at_last(history: History) -> bool:
    return any(
        failed.told_position < call.answered for call in history.undo_calls for failed in _failures(call)
    )


def _given_up(history: History) -> Iterator[Call]:
    """The undos that failed, with none of the same that was ever answered with success, or not needed."""
    for call in history.undo_calls:
        if not any(True for _ in _failures(call)):
            continue
        if not any(_is_done(other) for other in history.undo_calls if _target(other) == _target(call)):
            yield call


def _is_done(call: Call) -> bool:
    told = call.last_told
    return call.ok or (told is not None and is_nothing_to_undo(told))


def _target(call: Call) -> tuple[str, int]:
    """What an undo was for; if that is not known it is for itself."""
    if call.undoes is not None and call.undoes.call is not None:
        return "undoes", call.undoes.call
    return "is", call.index


def _was_given_up(history: History) -> bool:
    return any(True for _ in _given_up(history))


def _was_told(history: History) -> bool:
    return any(
        history.applied_at[case.id] > call.started for call in _given_up(history) for case in history.cases
    )


def _two_were_given_up(history: History) -> bool:
    return len({_target(call) for call in _given_up(history)}) > 1


def _undoes(facts: Facts) -> bool:
    return bool(facts.undos)


def _undoes_and_tells(facts: Facts) -> bool:
    return bool(facts.undos) and facts.escalates


def _undoes_two(facts: Facts) -> bool:
    return len(facts.undone) > 1


UNDOING = (
    Sometimes(
        "undo-retried",
        (
            ("an undo failed", _undo_failed),
            ("it was tried again", _tried_again),
            ("until it succeeded", _succeeded_at_last),
        ),
        _undoes,
        faults_needed=2,
    ),
    Sometimes(
        "undo-given-up-and-told",
        (
            ("an undo failed", _undo_failed),
            ("and was never done", _was_given_up),
            ("so that a person was told", _was_told),
        ),
        _undoes_and_tells,
        faults_needed=2,
    ),
    Sometimes(
        "two-undos-fail",
        (
            ("an undo failed", _undo_failed),
            ("and was never done", _was_given_up),
            ("nor was the undo of something else", _two_were_given_up),
        ),
        _undoes_two,
        faults_needed=3,
    ),
)
