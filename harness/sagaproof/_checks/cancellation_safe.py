"""`cancellation-safe`: a cancelled saga ends as well as one that failed, and its caller learns of it."""

from __future__ import annotations

from typing import Final

from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._checks.completed_is_complete import CompletedIsComplete
from sagaproof._checks.no_silent_residue import NoSilentResidue
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, State, Verdict, violated
from sagaproof._checks.terminates import Terminates
from sagaproof._checks.truthful_claim import TruthfulClaim
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History

__all__ = ["CancellationSafe"]

_FAMILY: Final = "cancel"
_ERROR: Final = "CancelledError"
_KEPT: Final = (Terminates(), CompletedIsComplete(), CompensatedIsClean(), NoSilentResidue(), TruthfulClaim())
"""What holds of every saga: O1 to O5."""


class CancellationSafe:
    """Cancellation is a failure like any other (O33).

    If the task of the saga was cancelled, the saga still comes to its end, what it says of itself is true,
    and what it leaves behind is named in an open case. It may answer a cancellation with a claim only if that
    is so: not with *completed* while something is missing. Reached when a cancellation was injected or
    reached the caller.
    """

    slug = "cancellation-safe"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that were ever cancelled."""
        return any(_cancels(name) for name in facts.faults)

    def judge(self, history: History) -> Verdict:
        """Judge the end of a saga that was cancelled by what must hold at any end."""
        where = _cancelled_at(history)
        if where is None or history.asserted:
            return NOT_REACHED
        for check in _KEPT:
            verdict = check.judge(history)
            if verdict.state is State.VIOLATED:
                return _unsafe(verdict, where)
        return HELD


def _cancels(fault: str) -> bool:
    known = FAULTS.get(fault)
    return known is not None and known.family == _FAMILY


def _cancelled_at(history: History) -> str | None:
    """Where the cancellation was put, empty if it came of itself; None if there was none."""
    put = next((i for i in history.plan if _cancels(i.fault)), None)
    if put is not None:
        return f" at {put.point}"
    return "" if any(link.type == _ERROR for link in history.ending.errors[:1]) else None


def _unsafe(verdict: Verdict, where: str) -> Verdict:
    return violated(
        f"was cancelled{where}, and {verdict.claim}", because=verdict.because, calls=verdict.calls
    )
