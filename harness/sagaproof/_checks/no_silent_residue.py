"""`no-silent-residue`: what is left over at the end is known to a person."""

from __future__ import annotations

from sagaproof._checks.cancelled import is_cancelled_when_done
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.diff import Difference
from sagaproof._model.effect import Effect
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass
from sagaproof._model.words import mentions

__all__ = ["NoSilentResidue"]

_FAILED = frozenset({Claim.RAISED, Claim.ESCALATED, Claim.REFUSED, Claim.COMPENSATED})


class NoSilentResidue:
    """No silent residue (O4).

    If the saga does not claim *completed*, then each effect of class 3 to 5 that still stands, and each field
    that is not as it was for another reason, is named in an open case. A cancellation that is raised when all
    is done already says nothing of the saga. Reached when there was such an effect.
    """

    slug = "no-silent-residue"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that can fail after they wrote something which has to be taken back."""
        return bool(facts.claims & _FAILED) and any(c >= EffectClass.REVERSIBLE for c in facts.classes)

    def judge(self, history: History) -> Verdict:
        """Judge the end of a run that went wrong."""
        if history.claim is Claim.COMPLETED or history.asserted:
            return NOT_REACHED
        if is_cancelled_when_done(history):
            return HELD
        if not any(_matters(effect) for effect in history.effects):
            return NOT_REACHED
        silent = [effect for effect in history.residue if not history.is_named(effect)]
        if silent:
            left = silent[0]
            call = history.calls[left.call]
            learnt = "" if call.ok else ", though its caller never learnt of it"
            return violated(
                f"{said(history)}, but {effect_text(left)} still stands and no open case names it",
                because=f"{asked_for(call)} was applied{learnt}, and nothing took it back",
                calls=[effect.call for effect in silent],
            )
        unexplained = next((d for d in history.differences if not _is_explained(history, d)), None)
        if unexplained is None:
            return HELD
        effect = history.effects[unexplained.effect]
        return violated(
            f"{said(history)}, but {unexplained}, and no open case names it",
            because=f"{asked_for(history.calls[effect.call])} was the last to write it",
            calls=[effect.call],
        )


def _matters(effect: Effect) -> bool:
    return effect.undoes is None and effect.cls >= EffectClass.REVERSIBLE and not effect.environment


def _is_explained(history: History, different: Difference) -> bool:
    """Whether a difference comes of an effect that is judged by itself, or is named as it is."""
    at = (different.system, different.table, different.key)
    if any((e.system, c.table, c.key) == at for e in history.residue for c in e.changes):
        return True
    effect = history.effects[different.effect]
    if history.is_named(effect) or mentions(history.told_words, different.key):
        return True
    return effect.undoes is not None and history.is_named(history.effects[effect.undoes])
