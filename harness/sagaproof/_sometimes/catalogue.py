"""The one place that lists the sometimes properties, in the order in which reports name them."""

from __future__ import annotations

from collections.abc import Sequence

from sagaproof._model.script import OPAQUE, Script
from sagaproof._sometimes.agent import agent
from sagaproof._sometimes.bystander import BYSTANDER
from sagaproof._sometimes.completing import COMPLETING
from sagaproof._sometimes.crashing import CRASHING
from sagaproof._sometimes.landing import LANDING
from sagaproof._sometimes.mailing import MAILING
from sagaproof._sometimes.past_pivot import PAST_PIVOT
from sagaproof._sometimes.pivots import PIVOTS
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof._sometimes.turned_away import TURNED_AWAY
from sagaproof._sometimes.undoing import UNDOING
from sagaproof._sometimes.unwinding import UNWINDING

__all__ = ["sometimes"]


def sometimes(scripts: Sequence[Script] = (OPAQUE,)) -> tuple[Sometimes, ...]:
    """Every one of them; with how many steps an agent can give up hangs on its scripts."""
    return (
        *COMPLETING,
        *UNDOING,
        *UNWINDING,
        *LANDING,
        *PIVOTS,
        *PAST_PIVOT,
        *CRASHING,
        *TURNED_AWAY,
        *BYSTANDER,
        *MAILING,
        *agent(scripts),
    )
