"""Which of two plans is the smaller one, from their texts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar

from sagaproof._model.plan import Plan
from sagaproof._search.judge import plan_size
from sagaproof.errors import SagaproofError

__all__ = ["size_of", "smallest"]

T = TypeVar("T")


@lru_cache(maxsize=4096)
def size_of(text: str) -> tuple[Any, ...]:
    """What orders plans; one with a fault that this version does not know comes after all others."""
    try:
        return (0, *plan_size(Plan.parse(text)))
    except SagaproofError:
        return (1, text.count(","), text)


def smallest(found: Iterable[tuple[str | None, T]]) -> T | None:
    """What stands beside the smallest plan; the first of those with the same. None without any plan."""
    with_plan = [(plan, beside) for plan, beside in found if plan is not None]
    return min(with_plan, key=lambda pair: size_of(pair[0]))[1] if with_plan else None
