"""`no-unwind-past-pivot`: once something irreversible has happened, nothing before it is taken back."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.effect import Effect
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass

__all__ = ["NoUnwindPastPivot"]


class NoUnwindPastPivot:
    """No unwind past the pivot (O18).

    Once an effect of class 5 exists, whether or not the saga learnt of it, no undo is invoked of an effect
    that was asked for before it. To ask whether the pivot itself can still be held back is no unwind. Reached
    when a pivot was applied and its answer was lost, or a call failed or an undo was invoked after it.
    """

    slug = "no-unwind-past-pivot"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that make an irreversible call."""
        return EffectClass.IRREVERSIBLE in facts.classes

    def judge(self, history: History) -> Verdict:
        """Judge the calls after the first irreversible effect."""
        pivot = next((e for e in history.effects if _is_pivot(e)), None)
        if pivot is None:
            return NOT_REACHED
        passed = history.applied_at[pivot.id]
        for undo in history.undo_calls:
            target = None if undo.undoes is None else undo.undoes.call
            if target is None or target == pivot.call or undo.started < passed:
                continue
            forward = history.calls[target]
            before = next((e for e in forward.effects if history.applied_at[e.id] < undo.started), None)
            if before is not None and forward.started < passed:
                return _unwound(history, pivot, before, undo.index)
        return HELD if _is_tested(history, pivot, passed) else NOT_REACHED


def _is_pivot(effect: Effect) -> bool:
    return effect.cls is EffectClass.IRREVERSIBLE and effect.undoes is None


def _is_tested(history: History, pivot: Effect, passed: int) -> bool:
    if not history.calls[pivot.call].ok:
        return True
    if history.undo_calls and history.undo_calls[-1].started > passed:
        return True
    return any(
        arrival.told is not None and not arrival.told.ok and arrival.told_position > passed
        for call in history.calls
        for arrival in call.arrivals
    )


def _unwound(history: History, pivot: Effect, target: Effect, undo: int) -> Verdict:
    sent = history.calls[pivot.call]
    learnt = "" if sent.ok else ", of which its caller did not learn"
    return violated(
        f"{effect_text(target)} was to be taken back after {effect_text(pivot)}, which cannot be",
        because=f"{asked_for(history.calls[undo])} was invoked after {asked_for(sent)} was applied{learnt}",
        calls=[undo, sent.index],
    )
