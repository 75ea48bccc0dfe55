"""Forward recovery: what fails after the irreversible, is tried again, or is handed to a person."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.doubt import pivot_calls
from sagaproof._checks.protocol import Facts
from sagaproof._model.history import Call, History
from sagaproof._model.point import Phase
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["PAST_PIVOT"]


def _failed(history: History) -> bool:
    return not history.smooth


def _troubled(history: History) -> Iterator[Call]:
    """The writes on the way there that failed at least once and were begun after an irreversible success."""
    pivot = min((call.answered for call in pivot_calls(history) if call.ok), default=-1)
    for call in history.calls if pivot >= 0 else ():
        is_later = call.started > pivot and call.phase is Phase.FORWARD and call.operation.writes
        if is_later and any(arrival.told is None or not arrival.told.ok for arrival in call.arrivals):
            yield call


def _failed_past_pivot(history: History) -> bool:
    return any(True for _ in _troubled(history))


def _succeeded_at_last(history: History) -> bool:
    return any(call.ok for call in _troubled(history))


def _was_told(history: History) -> bool:
    return any(
        history.applied_at[case.id] > call.started for call in _troubled(history) for case in history.cases
    )


def _goes_on(facts: Facts) -> bool:
    return facts.past_pivot


def _goes_on_and_tells(facts: Facts) -> bool:
    return facts.past_pivot and facts.escalates


_FAILED = ("a call failed", _failed)
_PAST = ("after an irreversible one had succeeded", _failed_past_pivot)

PAST_PIVOT = (
    Sometimes(
        "retried-past-pivot",
        (_FAILED, _PAST, ("it succeeded when tried again", _succeeded_at_last)),
        _goes_on,
    ),
    Sometimes("told-past-pivot", (_FAILED, _PAST, ("and a person was told", _was_told)), _goes_on_and_tells),
)
