"""Copy-on-write tables: rows are replaced, never changed, so a snapshot is one shallow copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from sagaproof._model.effect import Change, Record
from sagaproof._model.operation import TableInfo

__all__ = ["Rows", "Table"]

Rows: TypeAlias = dict[str, Record]


class Table:
    """A table of a system. Declared in the class body; each instance of the system gets its own.

    `gone` names, per field, the values with which the service treats a row as not there (a void invoice).
    `volatile` fields (versions, times) never count as a difference.
    """

    __slots__ = ("_gone", "_volatile", "info", "name", "on_write", "rows")

    def __init__(
        self, *, gone: Mapping[str, tuple[object, ...]] | None = None, volatile: tuple[str, ...] = ()
    ) -> None:
        self._gone = dict(gone or {})
        self._volatile = frozenset(volatile)
        self.name = ""
        self.info = TableInfo("", "")
        self.rows: Rows = {}
        self.on_write: Callable[[Change], None] = _nobody

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def bind(self, system: str, name: str, on_write: Callable[[Change], None]) -> Table:
        """A fresh, empty table of the same kind that reports its writes."""
        table = Table(gone=self._gone, volatile=tuple(self._volatile))
        table.name = name
        table.info = TableInfo(system, name, tuple(self._gone.items()), self._volatile)
        table.on_write = on_write
        return table

    def __contains__(self, key: object) -> bool:
        return key in self.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str) -> Record:
        return self.rows[key]

    def get(self, key: str) -> Record | None:
        """The row, or None."""
        return self.rows.get(key)

    def where(self, **fields: Any) -> list[Record]:
        """The rows whose fields have these values, in the order they were first written."""
        found = list(self.rows.values())
        for field, value in fields.items():
            found = [row for row in found if row.get(field) == value]
        return found

    def put(self, key: str, row: Mapping[str, Any]) -> Record:
        """Write a whole row. The mapping must not be changed afterwards."""
        before = self.rows.get(key)
        self.rows[key] = row
        self.on_write(Change(self.name, key, before, row))
        return row

    def patch(self, key: str, **fields: Any) -> Record:
        """Replace a row by itself with these fields changed; nothing is written if none differs."""
        before = self.rows[key]
        if all(before.get(f, _ABSENT) == v for f, v in fields.items()):
            return before
        after = {**before, **fields}
        self.rows[key] = after
        self.on_write(Change(self.name, key, before, after))
        return after

    def drop(self, key: str) -> None:
        """Remove a row."""
        before = self.rows.pop(key)
        self.on_write(Change(self.name, key, before, None))


_ABSENT = object()


def _nobody(change: Change) -> None:
    """A table that belongs to no system yet tells nobody."""
