"""`ambiguous-pivot-is-pivot`: as long as nobody knows whether the irreversible happened, nothing unwinds."""

from __future__ import annotations

from sagaproof._checks.answers import told_text
from sagaproof._checks.doubt import SILENT_FAULTS, in_doubt, is_silence, pivot_calls
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text, effect_text
from sagaproof._model.effect import Effect
from sagaproof._model.history import Arrival, Call, History
from sagaproof._model.operation import EffectClass

__all__ = ["AmbiguousPivotIsPivot"]


class AmbiguousPivotIsPivot:
    """An ambiguous pivot is a pivot (O19).

    If a call of class 5 ended in silence (a timeout, a torn or unreadable answer, a 5xx other than 503, a
    dead process), then no undo of an effect from before it is invoked until it is known what became of it,
    also where by luck it was not applied. It is known by a success, by a fence or a cancellation that was
    answered, or by a read that says applied or failed. A read that says absent settles nothing, since the
    call may still land, nor does a refusal of the next attempt. Reached when such a call ended in silence.
    """

    slug = "ambiguous-pivot-is-pivot"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that undo, and that make an irreversible call whose answer can get lost."""
        pivots = EffectClass.IRREVERSIBLE in facts.classes
        return pivots and bool(facts.undos) and bool(facts.faults & SILENT_FAULTS)

    def judge(self, history: History) -> Verdict:
        """Judge what was taken back while a pivot was in doubt."""
        if history.smooth:
            return NOT_REACHED
        reached = False
        for pivot in pivot_calls(history):
            if not any(a.told is None or is_silence(a.told) for a in pivot.arrivals):
                continue
            reached = True
            for undo in history.undo_calls:
                effect = _taken_back(history, pivot, undo)
                doubtful = None if effect is None else in_doubt(history, pivot, undo.started)
                if effect is not None and doubtful is not None:
                    return _unwound(effect, pivot, doubtful, undo)
        return HELD if reached else NOT_REACHED


def _taken_back(history: History, pivot: Call, undo: Call) -> Effect | None:
    """The effect from before the pivot that an undo after it is meant for."""
    target = None if undo.undoes is None else undo.undoes.call
    if target is None or undo.started < pivot.started:
        return None
    forward = history.calls[target]
    if forward.started >= pivot.started or forward.operation.cls is EffectClass.IRREVERSIBLE:
        return None
    return next((e for e in forward.effects if history.applied_at[e.id] < undo.started), None)


def _unwound(effect: Effect, pivot: Call, doubtful: Arrival, undo: Call) -> Verdict:
    return violated(
        f"{effect_text(effect)} was to be taken back although {call_text(pivot)}, which is irreversible, "
        "may have happened",
        because=f"{asked_for(undo)} was invoked after {asked_for(pivot)} was told "
        f"'{told_text(doubtful.told)}', and nothing had settled what became of it",
        calls=[undo.index, pivot.index],
    )
