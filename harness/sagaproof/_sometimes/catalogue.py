"""The one place that lists the sometimes properties, in the order in which reports name them."""

from __future__ import annotations

from collections.abc import Sequence

from sagaproof._model.script import Script
from sagaproof._sometimes.crashing import CRASHING
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["sometimes"]


def sometimes(_scripts: Sequence[Script]) -> tuple[Sometimes, ...]:
    """Every one of them, for a saga that is fed these scripts."""
    return (*CRASHING,)
