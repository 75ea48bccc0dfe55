"""`corrupt-journal-is-loud`: who finds its records damaged says so, and does not take them for none."""

from __future__ import annotations

from typing import Final

from sagaproof._checks.crash import is_wanted
from sagaproof._checks.damage import found_by, is_loud
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Spoiled
from sagaproof._model.fault import Harm
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass

__all__ = ["CorruptJournalIsLoud"]

_DAMAGES: Final = frozenset(
    name for name, fault in FAULTS.items() if fault.harm is not None and fault.harm is not Harm.LOST
)


class CorruptJournalIsLoud:
    """A corrupt journal fails loudly (O26).

    If a new process comes upon a record that is torn, corrupt or of another version, then it raises, or a
    person is told; or no effect of class 3 to 5 from before that is left which the saga does not account for:
    it was taken back, or it is part of a saga that claims *completed*. A record that is gone without a trace,
    since the disk only said it had written it, is not judged: nobody can know of it. Reached when a new
    process started over a damaged record and there had been such an effect.
    """

    slug = "corrupt-journal-is-loud"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas with a durable store that is told how records come to harm."""
        return bool(facts.faults & _DAMAGES) and any(c >= EffectClass.REVERSIBLE for c in facts.classes)

    def judge(self, history: History) -> Verdict:
        """Judge what the saga said after a process had found the damage."""
        found = found_by(history)
        if found < 0 or history.asserted:
            return NOT_REACHED
        before = [
            effect for effect in history.effects if _matters(effect) and history.applied_at[effect.id] < found
        ]
        if not before:
            return NOT_REACHED
        if is_loud(history, found):
            return HELD
        left = next((effect for effect in before if not _is_accounted_for(history, effect)), None)
        return HELD if left is None else _silent(history, left)


def _matters(effect: Effect) -> bool:
    return effect.undoes is None and effect.cls >= EffectClass.REVERSIBLE and not effect.environment


def _is_accounted_for(history: History, effect: Effect) -> bool:
    if effect not in history.residue or history.is_named(effect):
        return True
    return history.claim is Claim.COMPLETED and is_wanted(history, effect)


def _silent(history: History, effect: Effect) -> Verdict:
    spoiled = next(e for e in history.of(Spoiled) if e.harm != Harm.LOST)
    call = history.calls[effect.call]
    return violated(
        f"{said(history)}, but a record was {_WORDS[spoiled.harm]}, nobody was told, "
        f"and {effect_text(effect)} still stands",
        because=f"{asked_for(call)} was made before the new process found {spoiled.point} as it was",
        calls=[call.index],
    )


_WORDS: Final = {
    Harm.TORN: "there only in part",
    Harm.CORRUPT: "not what had been written",
    Harm.FOREIGN: "of another version",
}
