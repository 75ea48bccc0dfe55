"""Whether a fault that a plan names can be put where the plan puts it: at a call, or at an event."""

from __future__ import annotations

from sagaproof._model.fault import Fault
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import Operation
from sagaproof._model.point import Point
from sagaproof.errors import UsageError

__all__ = ["require_fit"]

_EVENT = "event"


def require_fit(fault: Fault, point: Point, operation: Operation) -> None:
    """Raise `UsageError` for a fault of events at anything else, and for any other fault at an event."""
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
