"""`errors-classified`: a refusal for good is not asked again, and who is told to wait does wait."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from sagaproof._checks.answers import is_definite, is_nothing_to_undo, told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.rate_limit import due, too_soon
from sagaproof._checks.say import asked_for, call_text, times_text
from sagaproof._model.event import Asked, Noted, Notified, Told
from sagaproof._model.fault import Learnt
from sagaproof._model.history import Arrival, Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase

__all__ = ["ErrorsClassified"]

_MAY_PASS: Final = frozenset({408, 409, 412, 421, 423, 425, 428, 429})
"""4xx after which the same request may succeed: too slow, too early, too often, a conflict, a lock."""

_CREDENTIALS: Final = frozenset({401, 403, 407})
"""4xx that may be mended once by other credentials (RFC 9110, 15.5.2, 15.5.4, 15.5.8)."""

_UNPAUSED_MAX: Final = 10
"""Attempts without any wait; a few are common, and right where a connection was reset."""

_AT_ONCE_S: Final = 0.05
"""Attempts no further apart than this, from arrival to arrival, have nothing between them but the call."""


class ErrorsClassified:
    """Errors are told apart (O28).

    A call that was refused for good (4xx but for 408, 409, 412, 421, 423, 425, 428 and 429) is not made again
    in the same words, unless something was written in between that may have mended it. Credentials may be
    renewed once (401, 403, 407); a look or an undo may be told 404 more than once; and after an attempt that
    failed in another way, a refusal says less. After a 429 with Retry-After, in seconds or as a date, the
    next attempt comes no sooner than it says. No call is made more than ten times in a row without any wait.
    Reached when a call was refused for good, or made again after it was told to wait.
    """

    slug = "errors-classified"

    def applies(self, facts: Facts) -> bool:
        """Applies where a call was ever refused for good."""
        return bool(facts.faults & {"422", "403"})

    def judge(self, history: History) -> Verdict:
        """Judge each call that did not succeed at once."""
        if history.smooth:
            return NOT_REACHED
        reached = False
        for call in history.calls:
            if call.ok and len(call.arrivals) == 1:
                continue
            verdict = None
            if len(call.arrivals) > 1:
                verdict = _again_refused(history, call) or too_soon(history, call) or _unpaused(call)
            if verdict is not None and not history.is_usual_twice(call):
                return verdict
            reached = reached or any(_is_reached(call, arrival) for arrival in call.arrivals)
        return HELD if reached else NOT_REACHED


def _is_reached(call: Call, arrival: Arrival) -> bool:
    told = arrival.told
    waited = arrival is not call.arrivals[-1] and due(call, arrival) is not None
    return told is not None and (_is_for_good(call, told) or waited)


def _is_for_good(call: Call, told: Told) -> bool:
    """Whether a call was refused in a way that no repetition changes."""
    if told.learnt != Learnt.STATUS or told.status is None or not 400 <= told.status < 500:
        return False
    if (call.phase is Phase.UNDO or call.operation.undoes) and is_nothing_to_undo(told):
        return False  # what is still on its way may be there the next time
    return told.status not in _MAY_PASS and not (
        told.status == 404 and call.operation.cls is EffectClass.READ
    )


def _again_refused(history: History, call: Call) -> Verdict | None:
    renewed = False
    for before, after in pairwise(call.arrivals):
        told = before.told
        if told is None or told.learnt != Learnt.STATUS or not is_definite(told):
            return None  # it may have been applied, or the failure is of another kind
        if _is_new_intent(history, before, after):
            renewed = False  # who asks anew, such as another process, may renew them as well
            continue
        if not _is_for_good(call, told):
            continue
        if told.status in _CREDENTIALS and not renewed:
            renewed = True
            continue
        return violated(
            f"{call_text(call)} was refused for good and made again",
            because=f"{asked_for(call)} was told '{told_text(told)}', and the same was asked for once more",
            calls=[call.index],
        )
    return None


def _is_new_intent(history: History, before: Arrival, after: Arrival) -> bool:
    """Whether something stands between: a restart, another key, a step or an event, or a change."""
    one, other = before.called, after.called
    if one.point.restart != other.point.restart or one.key != other.key:
        return True
    if after.position < before.told_position:
        return True  # side by side: made before the refusal was known
    between = history.events[before.told_position : after.position]
    if any(isinstance(event, Asked | Noted | Notified) for event in between):
        return True
    return any(before.told_position < at < after.position for at in history.applied_at)


def _unpaused(call: Call) -> Verdict | None:
    """Reached only by a saga that goes far beyond what is usual, so that it never counts as held."""
    if len(call.arrivals) <= _UNPAUSED_MAX:
        return None
    row = 1
    for before, after in pairwise(call.arrivals):
        told = before.told
        apart = after.called.at - before.called.at > _AT_ONCE_S
        row = 1 if apart or told is None or told.ok else row + 1
        if row > _UNPAUSED_MAX:
            return violated(
                f"made {times_text(row)} at {call_text(call)} without any wait in between",
                because=f"{asked_for(call)} was told '{told_text(told)}' last",
                calls=[call.index],
            )
    return None
