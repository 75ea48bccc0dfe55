"""`late-effect-fenced`: what has been undone does not come about afterwards."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.event import Landed
from sagaproof._model.history import History

__all__ = ["LateEffectFenced"]


class LateEffectFenced:
    """Anti-suspension (O11).

    Once the undo of a call was acknowledged, a late delivery of that call leaves no effect, unless it is
    taken back after all or named in an open case. Reached when a call landed after its undo was acknowledged.
    """

    slug = "late-effect-fenced"
    faults_needed = 2

    def applies(self, facts: Facts) -> bool:
        """Applies where an undo by key was acknowledged and calls were ever held back past the end."""
        return facts.undone_by_key and "late-end" in facts.faults

    def judge(self, history: History) -> Verdict:
        """Judge each late landing."""
        if not history.undos_of:
            return NOT_REACHED
        reached = False
        for position, event in enumerate(history.events):
            if not isinstance(event, Landed):
                continue
            undo = next((u for u in history.undos_of.get(event.call, ()) if 0 <= u.answered < position), None)
            if undo is None:
                continue
            reached = True
            call = history.calls[event.call]
            for effect in call.effects:
                late = history.applied_at[effect.id] > undo.answered
                if late and effect in history.residue and not history.is_named(effect):
                    return violated(
                        f"{effect_text(effect)} came about after it had been undone, and stands",
                        because=f"{asked_for(undo)} was acknowledged before {asked_for(call)} landed",
                        calls=[call.index, undo.index],
                    )
        return HELD if reached else NOT_REACHED
