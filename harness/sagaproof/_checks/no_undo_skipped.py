"""`no-undo-skipped`: an unwind comes to every effect that the saga knew of, or a person is told of it."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass

__all__ = ["NoUndoSkipped"]

_UNDONE_CLASSES = frozenset({EffectClass.REVERSIBLE, EffectClass.COMPENSABLE})


class NoUndoSkipped:
    """No skip (O17).

    Each effect of class 3 or 4 whose success the saga had learnt before its unwind began (or, without one,
    before it claimed *compensated*) has its undo invoked, or is gone, or is named in an open case: to stop at
    the first undo that fails is right, if all that is left is named. Not judged past a pivot, where nothing
    unwinds, nor where the saga went on to *completed*. Reached with one such effect.
    """

    slug = "no-undo-skipped"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas of which two different operations were ever undone."""
        return len(facts.undone) >= 2

    def judge(self, history: History) -> Verdict:
        """Judge the effects that were known when the unwind began."""
        began = _began(history)
        if began < 0 or history.asserted:
            return NOT_REACHED
        known = [effect for effect in history.effects if _is_known(effect, began, history)]
        if not known or any(_is_pivot(effect) for effect in history.effects):
            return NOT_REACHED
        for effect in known:
            if effect.call in history.undos_of or effect not in history.residue or history.is_named(effect):
                continue
            call = history.calls[effect.call]
            return violated(
                f"{said(history)}, but nothing tried to take {effect_text(effect)} back",
                because=f"{asked_for(call)} was answered before the unwind began, and its undo was skipped",
                calls=[call.index],
            )
        return HELD


def _began(history: History) -> int:
    if history.claim is Claim.COMPLETED:
        return -1
    if history.undo_calls:
        return history.unwind_began
    return history.ended_at if history.claim is Claim.COMPENSATED else -1


def _is_known(effect: Effect, began: int, history: History) -> bool:
    if effect.cls not in _UNDONE_CLASSES or effect.undoes is not None or effect.environment:
        return False
    return 0 <= history.calls[effect.call].answered < began


def _is_pivot(effect: Effect) -> bool:
    return effect.cls is EffectClass.IRREVERSIBLE and not effect.environment
