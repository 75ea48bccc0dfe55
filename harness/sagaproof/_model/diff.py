"""Where the rows that a run touched differ at its end from its beginning, record and field by name."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from sagaproof._model.effect import Change, Effect, Record
from sagaproof._model.event import Applied, Event, Wrote
from sagaproof._model.operation import EffectClass, TableInfo

__all__ = ["Difference", "changed_fields", "differences", "is_gone"]


class Difference(NamedTuple):
    """One field (or, with field "", a whole row) that is not as it was. `effect` touched the row last."""

    system: str
    table: str
    key: str
    field: str
    before: Any
    after: Any
    effect: int

    def __str__(self) -> str:
        name = f"{self.system}.{self.table}[{self.key}]"
        if self.field:
            return f"{name}.{self.field}: {self.before!r} -> {self.after!r}"
        return f"{name} was {'added' if self.before is None else 'removed'}"


class _Row:
    """A row from its first touch to its last; `excused` fields are not counted."""

    __slots__ = ("after", "before", "effect", "excused")

    def __init__(self, before: Record | None) -> None:
        self.before = before
        self.after = before
        self.effect = -1
        self.excused: set[str] = set()


def differences(
    events: Iterable[Event], tables: Mapping[tuple[str, str], TableInfo], escalating: Container[str]
) -> list[Difference]:
    """Fold all changes and compare, in each service's own equivalence (a void invoice is no invoice).

    Fields set by convergent writes and what `escalating` operations wrote are left out: nobody has to take
    them back.
    """
    rows: dict[tuple[str, str, str], _Row] = {}
    started = False
    for event in events:
        if event.__class__ is Applied:
            assert isinstance(event, Applied)
            started = True
            if event.effect.full in escalating:
                continue
            for change in event.effect.changes:
                _apply(rows, event.effect, change)
        elif started and event.__class__ is Wrote:
            assert isinstance(event, Wrote)
            _rebase(rows, tables[event.system, event.change.table], event.change)
    found: list[Difference] = []
    for (system, table, key), row in rows.items():
        found.extend(_compare(tables[system, table], key, row))
    return found


def _apply(rows: dict[tuple[str, str, str], _Row], effect: Effect, change: Change) -> None:
    at = (effect.system, change.table, change.key)
    row = rows.get(at)
    if row is None:
        row = rows[at] = _Row(change.before)
    row.after = change.after
    row.effect = effect.id
    if effect.cls is EffectClass.CONVERGENT:
        row.excused |= _changed(change.before, change.after)


def _rebase(rows: dict[tuple[str, str, str], _Row], info: TableInfo, change: Change) -> None:
    """Another writer's change is not ours to take back: from here on it counts as how things were."""
    row = rows.get((info.system, info.name, change.key))
    if row is not None:
        if is_gone(info, change.before) is not is_gone(info, change.after):
            row.before = change.after  # where a row came or went, no field can stand for it
        row.excused |= _changed(change.before, change.after)
        row.after = change.after


def changed_fields(info: TableInfo, change: Change) -> set[str]:
    """The fields that a change of a row made different; "" where the row came or went.

    Empty where nothing counts: only versions and times changed, or a void row stayed void.
    """
    if change.before is None or change.after is None:
        return {""}
    came, went = is_gone(info, change.before), is_gone(info, change.after)
    if came or went:
        return set() if came and went else {""}
    return _changed(change.before, change.after) - info.volatile


def _changed(before: Record | None, after: Record | None) -> set[str]:
    before, after = before or {}, after or {}
    return {f for f in before.keys() | after.keys() if before.get(f) != after.get(f)}


def _compare(info: TableInfo, key: str, row: _Row) -> Iterable[Difference]:
    before = None if is_gone(info, row.before) else row.before
    after = None if is_gone(info, row.after) else row.after
    if before is None or after is None:
        if before is not after:
            yield Difference(info.system, info.name, key, "", before, after, row.effect)
        return
    for field in sorted(_changed(before, after) - row.excused - info.volatile):
        yield Difference(info.system, info.name, key, field, before.get(field), after.get(field), row.effect)


def is_gone(info: TableInfo, row: Record | None) -> bool:
    """Whether there is no row, or the service itself treats it as not there."""
    return row is None or any(row.get(field) in values for field, values in info.gone)
