"""`user-invariant`: what the user says must hold of the world does hold once all is at rest.

In a machine it does after each turn of the agent, too: what is wrong between
two turns is told if nothing is wrong at rest.
"""

from __future__ import annotations

from itertools import takewhile

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import said
from sagaproof._model.event import Asked, Broke, Ended
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
                    because=_when(event, history),
                )
        return HELD if self._invariants else NOT_REACHED


def _when(broke: Broke, history: History) -> str:
    """When it was looked at: at rest, or after which turn, by the calls that the agent had asked for."""
    before = list(takewhile(lambda event: event is not broke, history.events))
    if any(isinstance(event, Ended) for event in before):
        return "it was looked at after everything late had landed"
    asked = [event for event in before if isinstance(event, Asked)]
    last = f"the agent was told of its call {asked[-1].step}, {asked[-1].tool}" if asked else "a turn"
    return f"it was looked at between two turns, after {last}"
