"""`truthful-claim`: the one word that the saga says of itself is true."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.event import Heard
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass

__all__ = ["TruthfulClaim"]

_CLAIMS = frozenset({Claim.ESCALATED, Claim.REFUSED, Claim.COMPENSATED, Claim.COMPLETED})


class TruthfulClaim:
    """Truthful status (O5), as far as it is about the word itself.

    *Escalated*: a person was told. *Refused*: nothing was done. *Compensated*: nothing irreversible was done.
    *Completed*: nothing was taken back and left so. After the end the word stays what it is, but that a
    person may be told after all; what a handler of events returns counts as such a word.
    """

    slug = "truthful-claim"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever say more than an exception does."""
        return bool(facts.claims & _CLAIMS)

    def judge(self, history: History) -> Verdict:
        """Judge the claim against the truth log."""
        claim = history.claim
        other = _other_word(history)
        if other is not None:
            return other
        if claim is Claim.COMPLETED:
            return _completed(history)
        if claim is Claim.COMPENSATED:
            return _compensated(history)
        if claim is Claim.ESCALATED:
            return HELD if history.cases else _not_escalated(history)
        if claim is Claim.REFUSED:
            return _refused(history)
        return NOT_REACHED


def _other_word(history: History) -> Verdict | None:
    """The saga says something else after its end, when an event comes."""
    for event in history.events[history.ended_at + 1 :]:
        if isinstance(event, Heard) and event.claim not in {None, history.claim}:
            if event.claim is Claim.ESCALATED and history.cases:
                continue
            point = event.point._replace(restart=0)
            return violated(
                f"{said(history)}, but after its end it says '{event.claim}'",
                because=f"its handler returned that when {point} came, and the end is final",
            )
    return None


def _completed(history: History) -> Verdict:
    if not history.undo_calls:
        return HELD
    for call in history.undo_calls:
        for undo in call.effects:
            target = None if undo.undoes is None else history.effects[undo.undoes]
            if target is not None and history.is_undone(target) and not _stands_again(history, target.id):
                return violated(
                    f"said 'completed', but it has taken {effect_text(target)} back",
                    because=f"{asked_for(call)} took it back, and it was not done again",
                    calls=[call.index, target.call],
                )
    return HELD


def _stands_again(history: History, target: int) -> bool:
    """Whether what was taken back is there all the same: done again, or surplus that had to go."""
    meaning = history.meaning(history.effects[target])
    twin = history.twin or history
    wanted = twin.net[meaning] if twin is not history and twin.claim is Claim.COMPLETED else 1
    return history.net[meaning] >= wanted


def _compensated(history: History) -> Verdict:
    for effect in history.effects:
        if effect.cls is EffectClass.IRREVERSIBLE and effect.undoes is None and not effect.environment:
            call = history.calls[effect.call]
            return violated(
                f"said 'compensated', but {effect_text(effect)} cannot be taken back",
                because=f"{asked_for(call)} was applied, and it is irreversible",
                calls=[call.index],
            )
    return HELD


def _not_escalated(history: History) -> Verdict:
    tried = [call for call in history.calls if call.operation.escalates]
    why = f"{asked_for(tried[-1])} left no case" if tried else "nothing that tells a person was called"
    return violated(
        "said 'escalated', but no person was told", because=why, calls=[call.index for call in tried]
    )


def _refused(history: History) -> Verdict:
    if not history.residue:
        return HELD
    left = history.residue[0]
    return violated(
        f"said 'refused', but {effect_text(left)} was done and stands",
        because=f"{asked_for(history.calls[left.call])} was applied",
        calls=[effect.call for effect in history.residue],
    )
