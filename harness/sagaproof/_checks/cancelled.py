"""A cancellation that comes when all is done: that it is raised says nothing of the saga."""

from __future__ import annotations

from typing import Final

from sagaproof._model.claim import Claim
from sagaproof._model.history import History

__all__ = ["ERROR", "is_cancelled_when_done"]

ERROR: Final = "CancelledError"


def is_cancelled_when_done(history: History) -> bool:
    """Whether the saga raised its cancellation, and what stands is what the fault-free run leaves."""
    errors = history.ending.errors if history.claim is Claim.RAISED else ()
    if not errors or errors[0].type != ERROR:
        return False
    twin = history.twin or history
    return twin.claim is Claim.COMPLETED and history.net == twin.net
