"""Which of the selected tests a plan to replay belongs to: those whose world has all of its operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from sagaproof._doors.exploration import exploration_of
from sagaproof._doors.late_names import kills, late_names
from sagaproof._doors.options import FileOptions
from sagaproof._doors.subjects import systems_of_test
from sagaproof._model.operation import event_source
from sagaproof._model.plan import Plan
from sagaproof._world.system import System
from sagaproof.errors import UsageError

__all__ = ["those_for"]


def those_for(plan_text: str, items: Sequence[pytest.Item], options: FileOptions) -> list[pytest.Item]:
    """The explored tests that know the operations of the plan; what a body wraps, any test may have.

    Of a plan that kills the process, those that say what a new one does, if there are any. Raises `PlanError`
    if there is no such test, with the nearest operation, and `UsageError` if none is explored.
    """
    plan = Plan.parse(plan_text)
    explored = [item for item in items if exploration_of(getattr(item, "obj", None)) is not None]
    if not explored:
        raise UsageError(
            f"there is no explored test to replay {plan_text!r} in",
            advice="Name the test that the plan was printed for; its function stands under @explore.",
        )
    systems = [systems_of_test(exploration_of(getattr(item, "obj", None)), options) for item in explored]
    late = late_names(plan, {name for some in systems for name in some})
    wanted = {injection.point.operation for injection in plan} - late
    known = [_operations(some) for some in systems]
    kept = [item for item, operations in zip(explored, known, strict=True) if wanted <= operations]
    if not kept:
        Plan.parse(plan_text, late.union(*known))
        raise UsageError(
            f"no explored test knows all operations of {plan_text!r}",
            advice="Name the test that it was printed for.",
        )
    return [item for item in kept if _restarts(item)] or kept if kills(plan) else kept


def _operations(systems: Mapping[str, System]) -> set[str]:
    called = {operation.full for system in systems.values() for operation in system.operations().values()}
    return called | {event_source(system.name).full for system in systems.values() if system.sends}


def _restarts(item: pytest.Item) -> bool:
    exploration = exploration_of(getattr(item, "obj", None))
    return exploration is not None and exploration.recover is not None
