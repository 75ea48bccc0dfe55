"""Rows with an id, a version and the times of their first and last write, as most services keep them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from sagaproof import Refusal, System, Table
from sagaproof.errors import UsageError

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["STAMPS", "Records", "Row", "before"]

Row: TypeAlias = Mapping[str, Any]
"""A row of a table: never changed in place."""

STAMPS = ("created_at", "updated_at", "version")
"""The fields that every row has and that never count as a difference."""


def before(effect: Effect, field: str) -> Any:
    """What a field was before an effect that changed one row; None if the row is new."""
    (change,) = effect.changes
    return None if change.before is None else change.before[field]


class Records(System):
    """A system whose rows are stamped. `version` counts the writes of a row, from 1."""

    def _insert(self, table: Table, row: Row) -> Row:
        now = self.clock.isoformat()
        return table.put(row["id"], {**row, "created_at": now, "updated_at": now, "version": 1})

    def _update(self, table: Table, row: Row, fields: Row) -> Row:
        """Change fields of a row, whether or not they differ: the write itself counts."""
        return table.patch(
            row["id"], **fields, updated_at=self.clock.isoformat(), version=self.next_version(row)
        )

    def _find(self, table: Table, key: str) -> Row:
        row = table.get(key)
        if row is None:
            raise Refusal(404, "not_found", f"{self.name} has no {table.name.removesuffix('s')} {key!r}")
        return row

    def _new_id(self, table: Table, prefix: str, wanted: str | None) -> str:
        """The id that set-up asks for, or the next one that is free."""
        if wanted is None:
            wanted = self.ids.next(prefix)
            while wanted in table:
                wanted = self.ids.next(prefix)
        elif wanted in table:
            raise UsageError(
                f"{self.name} has {wanted!r} among its {table.name} already",
                advice="Use another id, or leave it out to get one that is free.",
            )
        return wanted
