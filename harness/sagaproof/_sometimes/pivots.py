"""An irreversible call that does not simply succeed: refused, or in doubt until something tells."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.answers import is_definite
from sagaproof._checks.doubt import SILENT_FAULTS, in_doubt, is_found, is_silence, pivot_calls
from sagaproof._checks.protocol import Facts
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._sometimes.kinds import REFUSALS
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["PIVOTS"]


def _failed(history: History) -> bool:
    return not history.smooth and any(
        arrival.told is None or not arrival.told.ok
        for call in pivot_calls(history)
        for arrival in call.arrivals
    )


def _was_refused(history: History) -> bool:
    """Whether one never happened, and its caller was told so for certain."""
    return any(
        not call.effects and call.last_told is not None and is_definite(call.last_told)
        for call in pivot_calls(history)
    )


def _silent(history: History) -> Iterator[Call]:
    for call in pivot_calls(history):
        if any(arrival.told is None or is_silence(arrival.told) for arrival in call.arrivals):
            yield call


def _fell_silent(history: History) -> bool:
    return not history.smooth and any(True for _ in _silent(history))


def _is_known(history: History, call: Call) -> bool:
    return in_doubt(history, call, history.ended_at) is None


def _has_happened(history: History, call: Call) -> bool:
    return 0 <= call.answered < history.ended_at or is_found(history, call, history.ended_at)


def _was_resolved(history: History) -> bool:
    return any(_is_known(history, call) for call in _silent(history))


def _was_found_done(history: History) -> bool:
    return any(_is_known(history, call) and _has_happened(history, call) for call in _silent(history))


def _was_found_undone(history: History) -> bool:
    return any(_is_known(history, call) and not _has_happened(history, call) for call in _silent(history))


def _was_never_resolved(history: History) -> bool:
    ended = history.claim is not None
    return ended and any(not _is_known(history, call) for call in _silent(history))


def _is_refused(facts: Facts) -> bool:
    return EffectClass.IRREVERSIBLE in facts.classes and not REFUSALS.isdisjoint(facts.faults)


def _gets_lost(facts: Facts) -> bool:
    return EffectClass.IRREVERSIBLE in facts.classes and not SILENT_FAULTS.isdisjoint(facts.faults)


def _can_ask(facts: Facts) -> bool:
    """What became of a call is asked by its key, or by making it again under it."""
    return _gets_lost(facts) and facts.keys


_SILENCE = ("an irreversible call was left without an answer", _fell_silent)
_RESOLVED = ("what became of it was settled before the end", _was_resolved)

PIVOTS = (
    Sometimes(
        "pivot-rejected",
        (
            ("an irreversible call failed", _failed),
            ("for certain, and without an effect", _was_refused),
        ),
        _is_refused,
    ),
    Sometimes(
        "pivot-in-doubt-then-yes", (_SILENCE, _RESOLVED, ("it had happened", _was_found_done)), _can_ask
    ),
    Sometimes(
        "pivot-in-doubt-then-no", (_SILENCE, _RESOLVED, ("it had not happened", _was_found_undone)), _can_ask
    ),
    Sometimes(
        "pivot-in-doubt-to-the-end",
        (_SILENCE, ("the saga ended without knowing", _was_never_resolved)),
        _gets_lost,
        faults_needed=2,
    ),
)
