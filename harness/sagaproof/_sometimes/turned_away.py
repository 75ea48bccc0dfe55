"""Calls that a service turns away for now: too many of them, or nobody it knows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sagaproof._checks.protocol import Facts
from sagaproof._checks.rate_limit import due
from sagaproof._model.history import Arrival, History
from sagaproof._sometimes.kinds import AUTH, RATE_LIMITS, has_met
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["TURNED_AWAY"]

_ROUNDING_S = 0.001
_UNAUTHORIZED = 401


def _was_limited(history: History) -> bool:
    return has_met(history, RATE_LIMITS)


def _repeated(history: History) -> Iterator[tuple[float, Arrival]]:
    """The attempts after one that was told to wait, in the same process, with the moment that it was told."""
    for call in history.calls:
        for before, after in pairwise(call.arrivals):
            earliest = due(call, before)
            if earliest is not None and before.called.point.restart == after.called.point.restart:
                yield earliest, after


def _came_again(history: History) -> bool:
    return any(True for _ in _repeated(history))


def _waited(history: History) -> bool:
    return any(after.called.at >= earliest - _ROUNDING_S for earliest, after in _repeated(history))


def _was_unknown(history: History) -> bool:
    return has_met(history, AUTH)


def _was_unknown_undoing(history: History) -> bool:
    return any(True for _ in _unauthorized(history))


def _signed_in_again(history: History) -> bool:
    return any(answered > told for told, answered in _unauthorized(history))


def _unauthorized(history: History) -> Iterator[tuple[int, int]]:
    """For each undo that was told 401: the positions of that and of its success, -1 if there was none."""
    for call in history.undo_calls:
        for arrival in call.arrivals:
            if arrival.told is not None and arrival.told.status == _UNAUTHORIZED:
                yield arrival.told_position, call.answered


def _is_limited(facts: Facts) -> bool:
    """The header does not get through to the caller of a wrapped tool."""
    told = any(not name.startswith("tools.") for name in facts.called)
    return told and facts.retried and not RATE_LIMITS.isdisjoint(facts.faults)


def _is_signed_out(facts: Facts) -> bool:
    return bool(facts.undos) and not AUTH.isdisjoint(facts.faults)


TURNED_AWAY = (
    Sometimes(
        "rate-limit-honoured",
        (
            ("a call was told to come back later", _was_limited),
            ("it came back", _came_again),
            ("and not too early", _waited),
        ),
        _is_limited,
    ),
    Sometimes(
        "signed-in-again-mid-unwind",
        (
            ("a call was told 401", _was_unknown),
            ("it was one that undoes", _was_unknown_undoing),
            ("and it succeeded after that", _signed_in_again),
        ),
        _is_signed_out,
        faults_needed=2,
    ),
)
