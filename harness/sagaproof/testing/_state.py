"""All that a system knows at one moment, copied deeply, so that a change in place shows."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sagaproof._world.system import System
from sagaproof._world.table import Table

__all__ = ["State"]


class State(NamedTuple):
    """A deep copy of all that a system knows: rows by table, and plain data that it keeps beside them."""

    rows: dict[str, dict[str, Any]]
    own: dict[str, Any]
    keys: dict[str, Any]

    @classmethod
    def of(cls, system: System) -> State:
        """The state of a system now."""
        rows = {table.name: table.rows for table in system.tables}
        return cls(*copy.deepcopy((rows, _own(system), system.keys.entries)))

    @property
    def but_keys(self) -> tuple[object, object]:
        """The state without the memory of idempotency keys."""
        return self.rows, self.own

    def touched_since(self, before: State) -> set[tuple[str, str]]:
        """Table and key of each row that is different, new or gone."""
        return {
            (table, key)
            for table, rows in self.rows.items()
            for key in rows.keys() | before.rows[table].keys()
            if rows.get(key) != before.rows[table].get(key)
        }


class _Bare(System):
    """What a system has of its own when nothing was added to the base class."""

    name = "bare"


_OF_THE_BASE = frozenset(vars(_Bare()))


def _own(system: System) -> dict[str, Any]:
    """The plain data among the attributes that a class added to the base."""
    return {
        name: value
        for name, value in vars(system).items()
        if name not in _OF_THE_BASE and not isinstance(value, Table) and _is_plain(value)
    }


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_is_plain(k) and _is_plain(v) for k, v in value.items())
    if isinstance(value, str | bytes | int | float | None):
        return True
    return isinstance(value, Collection) and all(_is_plain(item) for item in value)
