"""`recovery-idempotent`: a saga that has come to its end has nothing left to recover."""

from __future__ import annotations

from sagaproof._checks.crash import CRASHES
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied, Restarted
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass

__all__ = ["RecoveryIdempotent"]


class RecoveryIdempotent:
    """Recovery is idempotent (O23).

    If a saga that came to its end is recovered once more, no effect of class 3 to 5 is added and none is
    taken back; only what landed after the end is still its business, and a case that could not be opened. A
    saga that raised has not said that it is done, and may go on. Reached when a saga was recovered at rest.
    """

    slug = "recovery-idempotent"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that can be restarted and do what has to be undone."""
        return bool(facts.faults & CRASHES) and any(c >= EffectClass.REVERSIBLE for c in facts.classes)

    def judge(self, history: History) -> Verdict:
        """Judge what came about after the restart at rest."""
        if history.claim is None or history.asserted:
            return NOT_REACHED
        reached = False
        for event in history.events[history.ended_at :]:
            if isinstance(event, Restarted):
                reached = reached or event.at_rest
            elif reached and isinstance(event, Applied) and _is_new(history, event):
                return NOT_REACHED if history.claim is Claim.RAISED else _stirs(history, event.effect)
        return HELD if reached else NOT_REACHED


def _is_new(history: History, applied: Applied) -> bool:
    effect = applied.effect
    if effect.cls < EffectClass.REVERSIBLE or applied.late or effect.environment or history.is_hollow(effect):
        return False
    target = effect.undoes
    return target is None or history.applied_at[target] < history.ended_at


def _stirs(history: History, effect: Effect) -> Verdict:
    call = history.calls[effect.call]
    target = None if effect.undoes is None else history.effects[effect.undoes]
    did = f"did {effect_text(effect)}" if target is None else f"took {effect_text(target)} back"
    return violated(
        f"{said(history)}, but recovering it once more {did}",
        because=f"{asked_for(call)} was called by a process that found the saga at its end",
        calls=[call.index] if target is None else [call.index, target.call],
    )
