"""`retry-budgets`: no call is tried more often than it should be, nor given up before."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Final

from sagaproof._checks.answers import told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text, times_text
from sagaproof._checks.shared_budget import Budgets
from sagaproof._checks.tries import attempts
from sagaproof._model.event import Died, Told
from sagaproof._model.fault import Learnt
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof.errors import UsageError

__all__ = ["RetryBudgets"]

_ATTEMPTS_MAX: Final = 50
"""More than anybody means to make of one call in one process, if nothing else is declared."""

_PASSING_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_PASSING: Final = frozenset({Learnt.REFUSED, Learnt.TIMEOUT, Learnt.RESET, Learnt.TORN})


class RetryBudgets:
    """Budgets of attempts (O27).

    No call is tried more than 50 times; or, where `attempts` declares a number for its operation, more than
    that under one key, nor is it given up before that on a failure that may pass. A look that finds what a
    lost answer had done ends it earlier, and so does a rate limit of a day. After a restart the count begins
    anew, and so it does where an agent asks for anything. Reached when a call was tried again, or failed
    where a number is declared.

    The budget of an undo is its own: under one kind of failure that lasts until it is given up, the undo of
    what had succeeded gets no fewer attempts in a run in which calls were tried again before it than in a
    run in which none was.
    """

    slug = "retry-budgets"

    def __init__(self, attempts: Mapping[str, int] | None = None) -> None:
        self._attempts = dict(attempts or {})
        for pattern, count in self._attempts.items():
            if not _is_number(count):
                raise UsageError(
                    f"attempts= has {count!r} for {pattern!r}",
                    advice="Say how often a call is tried in all, the first time included: 1 is no retry.",
                )

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever try again."""
        return facts.retried

    def begin(self) -> Budgets:
        """What undos get in the runs of a new campaign."""
        return Budgets()

    def judge(self, history: History) -> Verdict:
        """Judge each call that was tried again or failed."""
        reached = False
        for call in history.calls:
            if len(call.arrivals) == 1 and (call.ok or not self._attempts):
                continue
            declared = self._declared(call.operation.full)
            reached = reached or len(call.arrivals) > 1 or declared is not None
            verdict = _judge(history, call, declared)
            if verdict is not None:
                return verdict
        return HELD if reached else NOT_REACHED

    def _declared(self, operation: str) -> int | None:
        """The number of the first pattern that fits."""
        return next((n for pattern, n in self._attempts.items() if fnmatchcase(operation, pattern)), None)


def _is_number(count: object) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and count >= 1


def _judge(history: History, call: Call, declared: int | None) -> Verdict | None:
    tried = attempts(history, call)
    most = attempts(history, call, one_key=True) if declared else tried
    if most > (declared or _ATTEMPTS_MAX):
        return None if history.is_usual_twice(call) else _too_often(call, most, declared)
    if declared is not None and tried < declared and _is_given_up(history, call):
        return violated(
            f"gave {call_text(call)} up after {times_text(tried)}, but is to make {declared}",
            because=f"{asked_for(call)} was told '{told_text(call.last_told)}', which may pass",
            calls=[call.index],
        )
    return None


def _too_often(call: Call, tried: int, declared: int | None) -> Verdict:
    limit = f"is to make {declared}" if declared else f"nobody means to make more than {_ATTEMPTS_MAX}"
    return violated(
        f"made {times_text(tried)} at {call_text(call)}, but {limit}",
        because=f"{asked_for(call)} was told '{told_text(call.last_told)}' last",
        calls=[call.index],
    )


def _is_given_up(history: History, call: Call) -> bool:
    """Whether the saga itself made no more attempts, though the last failure may have passed."""
    last = call.arrivals[-1]
    if call.ok or last.told is None or not _may_pass(last.told) or last.called.fault == "429-huge":
        return False
    if history.ending.how == "hung" or history.asserted or any(history.of(Died)):
        return False
    return not (_was_looked_up(history, call) or _goes_on_anew(history, call) or _was_cut_off(history, call))


def _may_pass(told: Told) -> bool:
    return told.status in _PASSING_STATUS if told.learnt == Learnt.STATUS else told.learnt in _PASSING


def _was_looked_up(history: History, call: Call) -> bool:
    """Whether what a lost answer had done was there to be found, and a look at its system came after."""
    return bool(call.effects) and any(
        other.operation.cls is EffectClass.READ
        and other.operation.system == call.operation.system
        and other.answered > call.started
        for other in history.calls
    )


def _goes_on_anew(history: History, call: Call) -> bool:
    """Whether the same operation was asked for later: with other words, that is another attempt too."""
    return any(
        other.operation is call.operation and other.phase is call.phase and other.started > call.started
        for other in history.calls
    )


def _was_cut_off(history: History, call: Call) -> bool:
    """Whether something else failed since, on the same way: what waits beside it may be taken along."""
    return any(
        not other.ok
        and other is not call
        and other.phase is call.phase
        and other.arrivals[-1].told_position > call.started
        for other in history.calls
    )
