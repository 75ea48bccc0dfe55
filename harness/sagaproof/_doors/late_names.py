"""Operations that exist only once a body runs: what `world.tool` wraps, and the stores of `world.durable`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sagaproof._drivers.recovery import no_recovery
from sagaproof._model.fault import applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import STORE_HOOKS, durable_write
from sagaproof._model.plan import Injection, Plan
from sagaproof._model.point import Phase
from sagaproof.errors import UsageError

__all__ = ["kills", "late_names", "require_recovery"]

_JOURNAL: Final = "journal.append"


def late_names(plan: Plan, systems: Collection[str]) -> set[str]:
    """The operations of a plan that a body may yet make. None of them belongs to a system of this name.

    Raises `UsageError` for a fault that no write into a store can meet.
    """
    found = set()
    for injection in plan:
        operation = injection.point.operation
        owner = operation.partition(".")[0]
        if owner == "tools":
            found.add(operation)
        elif owner not in systems and (_is_death(injection) or operation == _JOURNAL):
            _require_fit(injection, plan)
            found.add(operation)
    return found


def kills(plan: Plan) -> bool:
    """Whether the plan kills the process somewhere."""
    return any(map(_is_death, plan))


def require_recovery(plan: Plan, *, restarts: bool) -> None:
    """Raise `UsageError` if the process is to be killed and nothing says how to go on."""
    if kills(plan) and not restarts:
        raise no_recovery()


def _is_death(injection: Injection) -> bool:
    return FAULTS[injection.fault].may_kill


def _require_fit(injection: Injection, plan: Plan) -> None:
    store, _, function = injection.point.operation.partition(".")
    write = durable_write(store, function, STORE_HOOKS)
    if applicable(FAULTS[injection.fault], write, Phase.JOURNAL):
        return
    fitting = (name for name, fault in FAULTS.items() if applicable(fault, write, Phase.JOURNAL))
    raise UsageError(
        f"{injection} puts {injection.fault!r} on a write into a store of the saga's own",
        where=f"plan {plan}",
        advice=f"There the process can die, or the store can fail: {', '.join(fitting)}.",
    )
