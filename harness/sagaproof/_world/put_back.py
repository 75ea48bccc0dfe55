"""Taking back what a call wrote, as far as nobody has changed it since."""

from __future__ import annotations

from collections.abc import Mapping

from sagaproof._model.effect import Record
from sagaproof._model.operation import EffectClass
from sagaproof._world.keys import Remembered
from sagaproof._world.operation import Refusal
from sagaproof._world.table import Table

__all__ = ["next_version", "put_back"]


def put_back(tables: Mapping[str, Table], cls: EffectClass, entry: Remembered) -> None:
    """Restore what a call wrote, unless it cannot be undone or somebody has changed it since."""
    if cls is EffectClass.IRREVERSIBLE:
        raise Refusal(409, "irreversible", f"{entry.operation} has happened and cannot be taken back")
    for name, key, before, after in reversed(entry.changes):
        table = tables[name]
        row = table.get(key)
        if before is None:
            if row is not None:
                table.drop(key)
        elif after is None:
            _put_row_back(table, key, before)
        else:
            _put_fields_back(table, key, before, after)


def _put_row_back(table: Table, key: str, before: Record) -> None:
    row = table.get(key)
    if row is None:
        table.put(key, before)
    elif row != before:
        raise _changed_since(f"{table.name} {key} has been made anew")


def _put_fields_back(table: Table, key: str, before: Record, after: Record) -> None:
    row = table.get(key)
    if row is None:
        raise _changed_since(f"{table.name} {key} is gone")
    old = {f: before.get(f) for f in after if before.get(f) != after[f] and f not in table.info.volatile}
    if all(row.get(f) == v for f, v in old.items()):
        return  # it has been put back already
    clash = [f for f in old if row.get(f) != after[f]]
    if clash:
        raise _changed_since(f"{table.name} {key}: {clash[0]} is now {row.get(clash[0])!r}")
    table.patch(key, **old, **{f: next_version(row) for f in ("version",) if f in row})


def next_version(row: Record) -> int:
    """The version that a row gets with its next write; rows without one start at 1."""
    return int(row.get("version", 0)) + 1


def _changed_since(what: str) -> Refusal:
    return Refusal(409, "changed_since", what)
