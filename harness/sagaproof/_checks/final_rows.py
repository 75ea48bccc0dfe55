"""The rows that a run has changed, as they are at its end and fit to be held against those of another run."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any, Final, NamedTuple

from sagaproof._model.diff import is_gone
from sagaproof._model.effect import Record
from sagaproof._model.history import History, mask
from sagaproof._model.operation import TableInfo

__all__ = ["FinalRow", "final_rows"]

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
"""How a time begins that is written as text: it is no part of the outcome."""

_At = tuple[str, str, str]


class FinalRow(NamedTuple):
    """One row: its fields (None: it is gone), and the effect that wrote it last.

    `meaning` is the same in two runs that changed it alike, whatever ids and times it got.
    """

    system: str
    table: str
    key: str
    fields: Mapping[str, Any] | None
    effect: int
    meaning: Hashable


def final_rows(history: History) -> list[FinalRow]:
    """The rows that are different at the end, in the order in which they were first written.

    What was written for a person to read is left out, and so is what other writers wrote.
    """
    first: dict[_At, Record | None] = {}
    last: dict[_At, tuple[Record | None, int]] = {}
    for effect in history.effects:
        if not history.operations[effect.full].escalates:
            for change in effect.changes:
                at = (effect.system, change.table, change.key)
                first.setdefault(at, change.before)
                last[at] = (change.after, effect.id)
    ids = history.created
    found: list[FinalRow] = []
    for at, before in first.items():
        info, (after, writer) = history.tables[at[:2]], last[at]
        was, now = _counted(info, before), _counted(info, after)
        if was != now:
            found.append(_row(at, was, now, writer, ids))
    return found


def _row(
    at: _At, was: dict[str, Any] | None, now: dict[str, Any] | None, effect: int, ids: frozenset[str]
) -> FinalRow:
    system, table, key = at
    counts: object = now
    if now is not None and was is not None:
        counts = {field: now.get(field) for field in now.keys() | was if now.get(field) != was.get(field)}
    return FinalRow(system, table, key, now, effect, (system, table, mask(key, ids), mask(counts, ids)))


def _counted(info: TableInfo, row: Record | None) -> dict[str, Any] | None:
    """What counts of a row; None if it counts as gone."""
    if row is None or is_gone(info, row):
        return None
    return {f: value for f, value in row.items() if f not in info.volatile and not _is_moment(value)}


def _is_moment(value: object) -> bool:
    return isinstance(value, str) and _MOMENT.match(value) is not None
