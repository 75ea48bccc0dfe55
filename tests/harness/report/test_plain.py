"""Any value becomes JSON, any text one printable line, whatever the value does."""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Any

import pytest

from sagaproof._report.plain import one_line, plain, printable, shorten, show


class Sulky:
    def __repr__(self) -> str:
        raise RuntimeError("no repr for you")


class SulkyMapping(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError("no items either")


class Level(IntEnum):
    HIGH = 3


def endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


ODD = [
    Sulky(),
    SulkyMapping(a=1),
    endless(),
    float("nan"),
    float("inf"),
    b"\xff",
    "\ud800 half a character",
    {1: {2: {3}}, (4, 5): object()},
    10**400,
    ValueError("x"),
    Sulky,
]


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_every_value_becomes_json_that_can_be_written(value: object) -> None:
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    text.encode("utf-8")
    assert one_line(show(value)) == show(value)


def test_json_values_stay_what_they_are() -> None:
    value = {"a": [1, 2.5, True, None, "x"], "b": {}}
    assert plain(value) == value


def test_subclasses_of_plain_types_become_plain() -> None:
    assert type(plain(Level.HIGH)) is int


def test_two_runs_of_one_object_compare() -> None:
    assert plain(object()) == plain(object())
    assert plain({"b", "a", "c"}) == ["a", "b", "c"]


def test_what_would_move_the_cursor_is_made_visible() -> None:
    assert printable("\x1b[31mred\x07\u202e") == "\\x1b[31mred\\x07\\u202e"
    assert printable("a\nb") == "a\nb"
    assert one_line("a\n  b\tc") == "a b c"


def test_a_text_is_cut_to_its_width_and_no_shorter_than_need_be() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abc..."
