"""What a journal can hold is the same before and after a restart, and what it cannot hold says so."""

from __future__ import annotations

import json
import math

import pytest

from sagaproof.saga.record import KINDS, NotJson, as_json, to_text


def test_text_is_one_ascii_line_that_reads_back_the_same() -> None:
    value = {"customer": "Zoë\n\x00\ud800", "amount": 250000, "open": None, "lines": [1, 2.5, True]}
    text = to_text(value)
    assert "\n" not in text
    assert text.isascii()
    assert json.loads(text) == value


def test_a_value_is_given_back_as_it_will_be_read() -> None:
    assert as_json({"lines": (1, 2), 7: "seven"}) == {"lines": [1, 2], "7": "seven"}


class _Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"id": object}, "<class 'object'>"),
        ({"rate": math.nan}, "nan"),
        ({("a", "b"): 1}, "('a', 'b')"),
        (_Unprintable(), "a _Unprintable"),
        (["x" * 500, object()], "..."),
    ],
)
def test_what_is_not_json_is_named(value: object, named: str) -> None:
    with pytest.raises(NotJson) as caught:
        to_text(value)
    assert named in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_value_that_holds_itself_is_not_json() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(NotJson):
        to_text(loop)


def test_kinds_are_words_that_differ() -> None:
    assert len(set(KINDS)) == len(KINDS) == 15
