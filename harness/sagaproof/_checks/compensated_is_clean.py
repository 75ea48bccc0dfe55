"""`compensated-is-clean`: who says 'compensated' leaves nothing behind."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.claim import Claim
from sagaproof._model.history import History

__all__ = ["CompensatedIsClean"]


class CompensatedIsClean:
    """Semantic atomicity (O3).

    If the saga claims *compensated*, then every reversible effect has been taken back under the service's own
    equivalence, no irreversible effect exists, and the rows that the run touched are as they were.
    """

    slug = "compensated-is-clean"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever claim it."""
        return Claim.COMPENSATED in facts.claims

    def judge(self, history: History) -> Verdict:
        """Judge the end of a run that claims to be compensated."""
        if history.claim is not Claim.COMPENSATED:
            return NOT_REACHED
        if history.residue:
            left = history.residue[0]
            return violated(
                f"said 'compensated', but {effect_text(left)} still stands",
                because=f"{asked_for(history.calls[left.call])} was applied and nothing took it back",
                calls=[effect.call for effect in history.residue],
            )
        if history.differences:
            different = history.differences[0]
            call = history.calls[history.effects[different.effect].call]
            return violated(
                f"said 'compensated', but {different}",
                because=f"{asked_for(call)} was the last to write it, and no undo has put it back",
                calls=[call.index],
            )
        return HELD
