"""Any value as plain JSON, and any text as one printable line. Nothing here ever fails."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from math import isfinite
from typing import Final

from pydantic import JsonValue

__all__ = ["moment", "one_line", "plain", "printable", "shorten", "show"]

_DEPTH_MAX: Final = 12
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def plain(value: object, *, depth: int = 0) -> JsonValue:
    """The value in JSON's terms: unknown objects by their repr, without addresses, so that runs compare."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool | int | float | str):
        return _scalar(value)
    if depth >= _DEPTH_MAX:
        return "..."
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return _container(value, depth)
    return _encodable(_repr(value))


def show(value: object) -> str:
    """The value as compact JSON on one line; a text stands without quotes."""
    found = plain(value)
    return one_line(found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))


def printable(text: str) -> str:
    """The text with control characters (colours, bells, reversed writing) made visible; lines stay lines."""
    return "\n".join(_CONTROL.sub(_visible, line) for line in _encodable(text).split("\n"))


def one_line(text: str) -> str:
    """The text as one printable line."""
    return printable(" ".join(text.split()))


def moment(seconds: float) -> float:
    """Virtual time without the dust of binary fractions."""
    return round(seconds, 6)


def shorten(text: str, width: int) -> str:
    """The text, cut to `width` characters with an ellipsis where it is longer."""
    return text if len(text) <= width else text[: max(0, width - 3)].rstrip() + "..."


def _scalar(value: float | str | None) -> JsonValue:
    """Subclasses lose their own ways here: an `IntEnum` or a `str` with a colour is a number or a text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value) if isfinite(value) else float.__repr__(value)
    return _encodable(value)


def _container(value: object, depth: int) -> JsonValue:
    try:
        if isinstance(value, Mapping):
            return {_key(key): plain(inner, depth=depth + 1) for key, inner in value.items()}
        assert isinstance(value, list | tuple | set | frozenset)
        found = [plain(inner, depth=depth + 1) for inner in value]
    except Exception:  # noqa: BLE001  # the value is the user's: whatever its iteration does, the report goes on
        return _encodable(_repr(value))
    return found if isinstance(value, list | tuple) else sorted(found, key=repr)


def _key(key: object) -> str:
    return _encodable(key if isinstance(key, str) else str(plain(key)))


def _repr(value: object) -> str:
    try:
        return _ADDRESS.sub("", repr(value))
    except Exception:  # noqa: BLE001  # the value is the user's: so is its repr
        return f"<{type(value).__name__} without a repr>"


def _encodable(text: str) -> str:
    return str.__str__(text).encode("utf-8", "backslashreplace").decode("utf-8")


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
