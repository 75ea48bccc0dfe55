"""Whether a fault that a plan names can be put where the plan puts it: at a call, or at an event."""

from __future__ import annotations

from sagaproof._model.fault import Fault
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import Operation
from sagaproof._model.point import Point
from sagaproof.errors import UsageError

__all__ = ["require_fit"]

_EVENT = "event"
_STORE = "store"


def require_fit(fault: Fault, point: Point, operation: Operation) -> None:
    """Raise `UsageError` for a fault of events at anything else, and for any other fault at an event."""
    if fault.family == _STORE:
        _require_store(fault, point, operation)
    if (fault.trait == _EVENT) == (_EVENT in operation.traits):
        return
    fitting = ", ".join(name for name, known in FAULTS.items() if known.trait == _EVENT)
    if fault.trait == _EVENT:
        raise UsageError(
            f"{point} is no event, so {fault.name!r} cannot be put on it",
            advice=f"{fitting} are put on events, {operation.system}.events.N, where a saga listens to some.",
        )
    raise UsageError(
        f"{point} is an event that {operation.system} sends, so {fault.name!r} cannot be put on it",
        advice=f"There only these can be: {fitting}.",
    )


def _require_store(fault: Fault, point: Point, operation: Operation) -> None:
    """Raise `UsageError` for a fault of stores at anything else, or at a store that is not told how."""
    if _STORE not in operation.traits:
        raise UsageError(
            f"{point} is no write into a store of the saga's own, so {fault.name!r} cannot be put on it",
            advice="Name a write behind world.durable, such as journal.append.N.",
        )
    if fault.trait is not None and fault.trait not in operation.traits:
        raise UsageError(
            f"nothing says how {fault.name!r} is done to {operation.full}",
            where=f"plan {point}={fault.name}",
            advice=f"Pass world.durable(..., store=) one with {fault.trait}=, from sagaproof.stores.",
        )
