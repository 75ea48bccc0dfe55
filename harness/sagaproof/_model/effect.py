"""Effects: committed changes in a system, with what they touched and what they undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sagaproof._model.operation import EffectClass

__all__ = ["Binding", "Change", "Effect", "Record"]

Record = Mapping[str, Any]
"""A row: JSON values under field names. A row is replaced, never changed in place."""


class Change(NamedTuple):
    """One row before and after; None where there was, or is, no row."""

    table: str
    key: str
    before: Record | None
    after: Record | None


class Binding(NamedTuple):
    """What an undo is meant for: the logical call it takes back, and its effect if there is one.

    `certain` is False where the reference was inferred from the values written.
    """

    call: int | None
    effect: int | None
    certain: bool = True


class Effect(NamedTuple):
    """A committed change. `undoes` is the id of the effect that it takes back.

    `amount` is in minor units. `environment` marks an effect that no client could have prevented.
    """

    id: int
    call: int
    system: str
    operation: str
    cls: EffectClass
    ref: str | None
    amount: int | None
    key: str | None
    args: Record
    changes: tuple[Change, ...]
    undoes: int | None = None
    environment: bool = False

    @property
    def full(self) -> str:
        """The operation with its system: `billing.issue_credit`."""
        return f"{self.system}.{self.operation}"
