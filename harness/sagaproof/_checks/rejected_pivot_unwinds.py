"""`rejected-pivot-unwinds`: an irreversible call that was refused for good is no point of no return."""

from __future__ import annotations

from typing import Final

from sagaproof._checks.answers import told_text
from sagaproof._checks.doubt import pivot_calls
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Died, Told
from sagaproof._model.fault import Applied, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass

__all__ = ["RejectedPivotUnwinds"]

_NOT_FOR_GOOD: Final = frozenset({408, 409, 425, 429})
_REFUSALS: Final = frozenset(
    name
    for name, fault in FAULTS.items()
    if fault.applied is Applied.NO
    and fault.learnt is Learnt.STATUS
    and 400 <= (fault.status or 0) < 500
    and fault.status not in _NOT_FOR_GOOD
)
_TAKEN_BACK: Final = frozenset({EffectClass.REVERSIBLE, EffectClass.COMPENSABLE})


class RejectedPivotUnwinds:
    """A definite rejection of the pivot unwinds (O20).

    If every attempt of a call of class 5 was refused for good (4xx other than 408, 409 and 429) and nothing
    irreversible happened, then the saga completes another way, or each effect of class 3 or 4 that it knew
    of has its undo invoked; and it does not claim *escalated*, unless something else failed or cannot be
    taken back. What is older than the service remembers its key may be left to a person who is told of it.
    Reached by such a refusal. Not judged where the process died: it may have forgotten that.
    """

    slug = "rejected-pivot-unwinds"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that make an irreversible call after others, where it was ever refused."""
        pivots = EffectClass.IRREVERSIBLE in facts.classes and bool(facts.classes & _TAKEN_BACK)
        return pivots and bool(facts.faults & _REFUSALS)

    def judge(self, history: History) -> Verdict:
        """Judge the end of a run in which the pivot was refused."""
        if history.smooth:
            return NOT_REACHED
        pivot = next((call for call in pivot_calls(history) if _is_refused(call)), None)
        if pivot is None or history.claim is None or history.asserted or _is_past_return(history):
            return NOT_REACHED
        if history.claim is Claim.COMPLETED or _has_another_reason(history, pivot):
            return HELD
        left = [effect for effect in history.residue if _was_passed_over(history, effect, pivot)]
        if left:
            return _verdict(history, pivot, f"nothing tried to take {effect_text(left[0])} back", left)
        if history.claim is Claim.ESCALATED and not history.residue:
            return _verdict(history, pivot, "nothing was left for a person to settle", [])
        return HELD


def _is_refused(call: Call) -> bool:
    return not call.effects and all(a.told is not None and _is_refusal(a.told) for a in call.arrivals)


def _is_refusal(told: Told) -> bool:
    status = told.status or 0
    return told.learnt == Learnt.STATUS and 400 <= status < 500 and status not in _NOT_FOR_GOOD


def _is_past_return(history: History) -> bool:
    """Whether something irreversible did happen, or the refusal may have been forgotten."""
    if any(e.cls is EffectClass.IRREVERSIBLE and e.undoes is None for e in history.effects):
        return True
    return next(history.of(Died), None) is not None


def _has_another_reason(history: History, pivot: Call) -> bool:
    """Whether something else went wrong, an undo included, or something cannot be taken back at all."""
    others = (c for c in history.calls if c is not pivot and not c.operation.escalates)
    if any(not call.ok for call in others) or any(e.environment for e in history.effects):
        return True
    return any(not _can_be_undone(history, effect) for effect in history.residue)


def _can_be_undone(history: History, effect: Effect) -> bool:
    if history.operations[effect.full].restores is not None:
        return True
    return any(
        op.system == effect.system and effect.operation in op.undoes for op in history.operations.values()
    )


def _was_passed_over(history: History, effect: Effect, pivot: Call) -> bool:
    known = history.calls[effect.call].answered < pivot.arrivals[-1].told_position
    if not known or effect.cls not in _TAKEN_BACK or effect.call in history.undos_of:
        return False
    return not (_has_outlived_its_key(history, effect, pivot) and history.is_named(effect))


def _has_outlived_its_key(history: History, effect: Effect, pivot: Call) -> bool:
    """Whether an undo by the key would not find it any more, and shut out nothing."""
    told = pivot.last_told
    if effect.key is None or told is None:
        return False
    age_s = told.at - history.calls[effect.call].first.at
    return age_s > history.operations[effect.full].key_lifetime_s


def _verdict(history: History, pivot: Call, what: str, left: list[Effect]) -> Verdict:
    return violated(
        f"{said(history)}, but {what}",
        because=f"{asked_for(pivot)} was refused with {told_text(pivot.last_told)}, so that nothing "
        "irreversible stood against an unwind",
        calls=[pivot.index, *(effect.call for effect in left)],
    )
