"""`user-invariant`: what the user says must hold of the world does hold once all is at rest."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import said
from sagaproof._model.history import History

__all__ = ["UserInvariant"]


class UserInvariant:
    """The user's own invariants over the whole world; `invariants` says how many a campaign has."""

    slug = "user-invariant"

    def __init__(self, invariants: int = 0) -> None:
        self._invariants = invariants

    def applies(self, _facts: Facts) -> bool:
        """Applies to campaigns that have any."""
        return self._invariants > 0

    def judge(self, history: History) -> Verdict:
        """Judge what the invariants said at rest."""
        for event in reversed(history.index.broke):
            if not event.system:
                return violated(
                    f"{said(history)}, but {event.invariant} does not hold: {event.detail}",
                    because="it was looked at after everything late had landed",
                )
        return HELD if self._invariants else NOT_REACHED
