"""`forward-after-pivot`: what fails after the irreversible is made to succeed, or a person is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sagaproof._checks.answers import told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Told
from sagaproof._model.fault import Learnt
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase

__all__ = ["ForwardAfterPivot"]

_NO_ANSWER: Final = frozenset(
    {Learnt.REFUSED, Learnt.TIMEOUT, Learnt.RESET, Learnt.TORN, Learnt.GARBAGE, Learnt.EMPTY}
)


class ForwardAfterPivot:
    """After the pivot only forward (O21).

    If a write fails after an irreversible effect came about, then it succeeds in the end (by another attempt,
    another call of the same operation, or since it had taken effect), or a case is opened after the failure.
    To raise to the caller is not enough: the pivot stands, so the saga did not end clean, and whoever called
    cannot take it back either; the case has to be at the desk. Where the failure was passing (no answer, or a
    5xx) and trying again can do no harm (the call has a key or sets a value, and was not fenced off), a case
    does not stand in for the second attempt. A saga that claims *completed* with all that its fault-free run
    leaves has gone forward. Reached by such a failure.
    """

    slug = "forward-after-pivot"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas whose fault-free run writes anything after an irreversible call."""
        return facts.past_pivot

    def judge(self, history: History) -> Verdict:
        """Judge each write that failed after the first irreversible effect."""
        if history.smooth:
            return NOT_REACHED
        pivot = next((e for e in history.effects if _is_pivot(e, history)), None)
        if pivot is None or history.claim is None or history.asserted:
            return NOT_REACHED
        passed = history.applied_at[pivot.id]
        reached = False
        for call, failed in _failures(history, pivot.call, passed):
            reached = True
            if _succeeded(history, call, passed) or _is_complete(history):
                continue
            if not any(history.applied_at[case.id] > failed for case in history.cases):
                return _untold(history, pivot, call)
            if len(call.arrivals) == 1 and call.index not in history.undos_of and _can_be_repeated(call):
                return _not_tried_again(pivot, call)
        return HELD if reached else NOT_REACHED


def _is_pivot(effect: Effect, history: History) -> bool:
    irreversible = effect.cls is EffectClass.IRREVERSIBLE and effect.undoes is None
    return irreversible and not effect.environment and not history.is_hollow(effect)


def _failures(history: History, pivot: int, passed: int) -> Iterator[tuple[Call, int]]:
    """Each forward write that was not answered with success after the pivot, and the position of that."""
    for call in history.calls:
        if call.index == pivot or call.phase is not Phase.FORWARD or not call.operation.writes:
            continue
        if _may_be_an_undo(history, call):
            continue
        for arrival in call.arrivals:
            at = max(arrival.position, arrival.told_position)
            if at > passed and (arrival.told is None or not arrival.told.ok):
                yield call, at
                break


def _may_be_an_undo(history: History, call: Call) -> bool:
    """Whether a call writes over what an earlier one was to write: if that failed, nothing binds the two."""
    operation = call.operation
    if operation.restores is None or operation.ref is None:
        return False
    args = call.first.args
    return any(
        other.operation is operation
        and other.started < call.started
        and other.first.args.get(operation.ref) == args.get(operation.ref)
        and other.first.args != args
        for other in history.calls
    )


def _succeeded(history: History, call: Call, passed: int) -> bool:
    if call.ok or call.effects:
        return True
    return any(
        other.operation is call.operation and other.answered > max(passed, call.started)
        for other in history.calls
    )


def _is_complete(history: History) -> bool:
    twin = history.twin
    return history.claim is Claim.COMPLETED and twin is not None and not twin.net - history.net


def _can_be_repeated(call: Call) -> bool:
    """Whether the failure is one that passes, and a second attempt cannot do anything twice."""
    told, operation = call.last_told, call.operation
    if told is None or not _is_passing(told):
        return False
    keyed = operation.keyed and call.first.key is not None
    return keyed or operation.cls is EffectClass.CONVERGENT or operation.restores is not None


def _is_passing(told: Told) -> bool:
    return told.learnt in _NO_ANSWER or (told.learnt == Learnt.STATUS and (told.status or 0) >= 500)


def _untold(history: History, pivot: Effect, call: Call) -> Verdict:
    told = f"told '{told_text(call.last_told)}' in the last of its attempts ({len(call.arrivals)})"
    return violated(
        f"{said(history)}, but {call_text(call)} failed after {effect_text(pivot)} and no person was told",
        because=f"{asked_for(call)} was {told}, and no case was opened since",
        calls=[call.index, pivot.call],
    )


def _not_tried_again(pivot: Effect, call: Call) -> Verdict:
    return violated(
        f"{call_text(call)} failed after {effect_text(pivot)} and was not tried again",
        because=f"{asked_for(call)} was told '{told_text(call.last_told)}', which another attempt can mend",
        calls=[call.index, pivot.call],
    )
