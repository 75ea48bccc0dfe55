"""Values that a tool of the user's takes or gives, put so that they can be compared over runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Shown", "alike", "steady"]

_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")


class Shown:
    """Stands for a value that is equal to none in another run: what counts of it is what it looks like.

    `given` is the value. Its attributes are those of the value.
    """

    __slots__ = ("given",)

    def __init__(self, given: Any) -> None:
        self.given = given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and _text(self.given) == _text(other.given)

    def __hash__(self) -> int:
        return hash(_text(self.given))

    def __repr__(self) -> str:
        return _text(self.given)

    def __getattr__(self, name: str) -> Any:
        if name == "given" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.given, name)


def alike(one: object, other: object) -> bool:
    """Whether two values of two runs are the same, as far as they can be told apart.

    A NaN equals not even itself, and an object without `__eq__` (a generator, a client's answer) only itself:
    of these what they look like counts, but not where they lie in memory.
    """
    return one == other or _text(one) == _text(other)


def steady(value: Any) -> Any:
    """The value itself if one of another run can be equal to it, else one that is `Shown` in its place."""
    return value if _compares(value) else Shown(value)


def _compares(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_compares(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return all(map(_compares, value))
    if value is None:
        return True
    return value.__class__.__eq__ is not object.__eq__ and bool(value == value)  # noqa: PLR0124  # a NaN is not


def _text(value: object) -> str:
    return _ADDRESS.sub("", repr(value))
