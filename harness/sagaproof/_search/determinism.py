"""The same plan must give the same history: two runs without a fault are compared event by event."""

from __future__ import annotations

from sagaproof._model.history import History
from sagaproof.errors import NotDeterministic

__all__ = ["require_same"]


def require_same(first: History, second: History) -> None:
    """Raise `NotDeterministic` with the first event that differs."""
    for number, (one, other) in enumerate(zip(first.events, second.events, strict=False)):
        if one != other:
            raise _differ(f"at event {number}: {one} against {other}")
    if len(first.events) != len(second.events):
        longer = max(first.events, second.events, key=len)
        extra = longer[min(len(first.events), len(second.events))]
        raise _differ(f": one goes on with {extra}")


def _differ(how: str) -> NotDeterministic:
    return NotDeterministic(
        f"two runs without a fault differ {how}",
        advice="Inject clock, ids and randomness, or seed them in the test body.",
    )
