"""Whether the saga under test needs to be one, as far as a run without a fault shows."""

from __future__ import annotations

from collections.abc import Iterable

from sagaproof._model.claim import Claim
from sagaproof._model.history import History
from sagaproof._model.point import Phase

__all__ = ["advice_for"]


def advice_for(baselines: Iterable[History]) -> list[str]:
    """What speaks against a saga of these calls. Runs that do not go through say nothing of that."""
    from sagaproof.saga.advice import advice  # noqa: PLC0415  # with it comes the whole runtime

    whole = [h for h in baselines if h.claim is Claim.COMPLETED and h.script.give_up_after is None]
    called = {
        call.operation.full: (int(call.operation.cls), _system(call.operation.system))
        for history in whole
        for call in history.calls
        if call.phase is Phase.FORWARD
    }
    return advice(called.values()) if called else []


def _system(name: str) -> str | None:
    """The system that a call goes to; wrapped callables may go to any."""
    return None if name == "tools" else name
