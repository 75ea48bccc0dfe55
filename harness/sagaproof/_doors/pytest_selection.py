"""Which of the selected tests a plan to replay belongs to: those whose world has all of its operations."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sagaproof._doors.exploration import exploration_of
from sagaproof._doors.options import FileOptions
from sagaproof._doors.subjects import systems_of_test
from sagaproof._model.plan import Plan
from sagaproof.errors import UsageError

__all__ = ["those_for"]


def those_for(plan_text: str, items: Sequence[pytest.Item], options: FileOptions) -> list[pytest.Item]:
    """The explored tests that know the operations of the plan; those of `world.tool` any test may have.

    Raises `PlanError` if there is none, with the nearest operation, and `UsageError` if none is explored.
    """
    plan = Plan.parse(plan_text)
    wanted = {injection.point.operation for injection in plan}
    wanted = {operation for operation in wanted if not operation.startswith("tools.")}
    known: set[str] = set()
    kept: list[pytest.Item] = []
    explored = [item for item in items if exploration_of(getattr(item, "obj", None)) is not None]
    if not explored:
        raise UsageError(
            f"there is no explored test to replay {plan_text!r} in",
            advice="Name the test that the plan was printed for; its function stands under @explore.",
        )
    for item in explored:
        operations = _operations(item, options)
        known |= operations
        if wanted <= operations:
            kept.append(item)
    if not kept:
        Plan.parse(plan_text, known | {injection.point.operation for injection in plan} - wanted)
        raise UsageError(
            f"no explored test knows all operations of {plan_text!r}",
            advice="Name the test that it was printed for.",
        )
    return kept


def _operations(item: pytest.Item, options: FileOptions) -> set[str]:
    systems = systems_of_test(exploration_of(getattr(item, "obj", None)), options)
    return {operation.full for system in systems.values() for operation in system.operations().values()}
