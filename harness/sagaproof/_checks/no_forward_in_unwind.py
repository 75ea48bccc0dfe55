"""`no-forward-in-unwind`: a saga that has begun to take back what it did does not go on with it."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.doubt import is_found
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase

__all__ = ["NoForwardInUnwind"]


class NoForwardInUnwind:
    """Quiescence: the way back is one way.

    Once a call that had been answered with success is being taken back, no other call of class 3 to 5 is made
    whose effect then stays, unless a case names it; or the saga claims *completed* and all that it took back
    has been done again: that is another plan, and right. To clear away a call of which nothing is known and
    make it anew is no unwind. Reached when a call was made on the way there after an unwind had begun.
    """

    slug = "no-forward-in-unwind"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: most sagas make no call once they unwind."""
        return False

    def judge(self, history: History) -> Verdict:
        """Judge what was done after the first undo."""
        undo = next((call for call in history.undo_calls if _unwinds(history, call)), None)
        if undo is None or history.asserted:
            return NOT_REACHED
        onward = list(_forward_since(history, undo.started))
        if not onward:
            return NOT_REACHED
        if history.claim is Claim.COMPLETED and _is_all_done_again(history):
            return HELD
        for call in onward:
            for effect in _left_by(history, call, undo.started):
                return _turned_round(history, undo, call, effect)
        return HELD


def _unwinds(history: History, undo: Call) -> bool:
    """Whether an undo is for something that was known to have happened."""
    if undo.undoes is None or undo.undoes.call is None:
        return False
    target = history.calls[undo.undoes.call]
    return 0 <= target.answered < undo.started or is_found(history, target, undo.started)


def _forward_since(history: History, began: int) -> Iterator[Call]:
    """The calls on the way there that were made, or made again, since that position and before the end."""
    for call in history.calls:
        if call.phase is not Phase.FORWARD or call.operation.cls < EffectClass.REVERSIBLE:
            continue
        if call.operation.undoes:
            continue  # it goes back, be it over what is not its own
        if any(began < arrival.position < history.ended_at for arrival in call.arrivals):
            yield call


def _is_all_done_again(history: History) -> bool:
    taken_back = [e for e in history.effects if e.undoes is None and history.is_undone(e)]
    return all(history.net[history.meaning(effect)] for effect in taken_back)


def _left_by(history: History, call: Call, began: int) -> Iterator[Effect]:
    """What stands of it, known to nobody, and was asked for after that position."""
    late = {event.effect.id for event in history.of(Applied) if event.late} if call.effects else set()
    for effect in call.effects:
        applied = history.applied_at[effect.id]
        asked = any(began < arrival.position < applied for arrival in call.arrivals)
        if asked and effect.id not in late and effect in history.residue and not history.is_named(effect):
            yield effect


def _turned_round(history: History, undo: Call, call: Call, effect: Effect) -> Verdict:
    return violated(
        f"{said(history)}, but {effect_text(effect)} was done after the unwind had begun, and stands",
        because=f"{asked_for(call)} was called after {asked_for(undo)} had begun to take back",
        calls=[call.index, undo.index],
    )
