"""A row of the world as lines of text, with those marked that are not as without faults."""

from __future__ import annotations

import json
from typing import NamedTuple

from pydantic import JsonValue

from sagaproof._report.schema import WorldRow

__all__ = ["Line", "here", "value_text"]


class Line(NamedTuple):
    """A line, and whether the fault-free run ends with another one."""

    text: str
    differs: bool


def value_text(value: JsonValue) -> str:
    """Nothing as an empty set, a row as its fields, one a line."""
    return "\n".join(_lines(value))


def here(row: WorldRow) -> list[Line]:
    """The value at the end of the run; where one of the two is no row of fields, no line of it is marked."""
    lines = _lines(row.after)
    both = isinstance(row.after, dict) and isinstance(row.fault_free, dict)
    others = set(_lines(row.fault_free)) if both else set(lines)
    return [Line(line, line not in others) for line in lines]


def _lines(value: JsonValue) -> list[str]:
    if value is None:
        return ["∅"]
    if isinstance(value, dict):
        return [f"{name}: {_compact(inner)}" for name, inner in value.items() if inner is not None]
    return [_compact(value)]


def _compact(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
