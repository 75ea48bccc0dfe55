"""How the world at the end of a run compares with its start and with the end of the fault-free run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sagaproof._model.effect import Change, Record
from sagaproof._model.event import Applied, Called, Wrote
from sagaproof._model.history import History
from sagaproof._model.operation import TableInfo
from sagaproof._report.plain import one_line, plain
from sagaproof._report.schema import WorldRow

__all__ = ["world_rows"]

_Place = tuple[str, str, str]


class _Ends(NamedTuple):
    before: Record | None
    after: Record | None


def world_rows(history: History) -> tuple[WorldRow, ...]:
    """What is not as it was, first what somebody would have to take back. Cases at a desk are left out."""
    here = _touched(history)
    free = here if history.twin is None else _touched(history.twin)
    owed = {(d.system, d.table, d.key, d.field) for d in history.differences}
    found: list[WorldRow] = []
    for place in dict.fromkeys((*here, *free)):
        start = (here[place] if place in here else free[place]).before
        ends = (start, _after(here, place, start), _after(free, place, start))
        found.extend(_rows(history.tables[place[:2]], place, ends, owed))
    return tuple(sorted(found, key=lambda row: not row.changed))


def _touched(history: History) -> dict[_Place, _Ends]:
    found: dict[_Place, _Ends] = {}
    began = False
    for event in history.events:
        if event.__class__ is Called:
            began = True
        elif isinstance(event, Applied):
            if not history.operations[event.effect.full].escalates:
                for change in event.effect.changes:
                    _note(found, event.effect.system, change)
        elif isinstance(event, Wrote):
            _note(found, event.system, change=event.change, start=not began)
    return found


def _note(found: dict[_Place, _Ends], system: str, change: Change, *, start: bool = False) -> None:
    place = (system, change.table, change.key)
    before = change.after if start else found[place].before if place in found else change.before
    found[place] = _Ends(before, change.after)


def _after(rows: Mapping[_Place, _Ends], place: _Place, start: Record | None) -> Record | None:
    return rows[place].after if place in rows else start


def _rows(
    info: TableInfo,
    place: _Place,
    ends: tuple[Record | None, Record | None, Record | None],
    owed: set[tuple[str, str, str, str]],
) -> Iterator[WorldRow]:
    start, here, free = (None if _is_gone(info, row) else row for row in ends)
    if start is None or here is None or free is None:
        changed = any(at[:3] == place for at in owed)
        differs = (here is None) != (free is None) or _differ(info, here or {}, free or {})
        if changed or differs:
            shown = tuple(None if row is None else _lasting(info, row) for row in ends)
            yield _row(place, "", shown, changed=changed, differs=differs)
        return
    for field in sorted((start.keys() | here.keys() | free.keys()) - info.volatile):
        values = (start.get(field), here.get(field), free.get(field))
        changed, differs = (*place, field) in owed, values[1] != values[2]
        if changed or differs:
            yield _row(place, field, values, changed=changed, differs=differs)


def _row(place: _Place, field: str, ends: tuple[object, ...], *, changed: bool, differs: bool) -> WorldRow:
    before, after, fault_free = map(plain, ends)
    return WorldRow(
        system=place[0],
        table=place[1],
        key=one_line(place[2]),
        field=one_line(field),
        before=before,
        after=after,
        fault_free=fault_free,
        changed=changed,
        differs=differs,
    )


def _differ(info: TableInfo, one: Record, other: Record) -> bool:
    return any(one.get(f) != other.get(f) for f in (one.keys() | other.keys()) - info.volatile)


def _lasting(info: TableInfo, row: Record) -> Record:
    return {field: value for field, value in row.items() if field not in info.volatile}


def _is_gone(info: TableInfo, row: Record | None) -> bool:
    return row is None or any(row.get(field) in values for field, values in info.gone)
