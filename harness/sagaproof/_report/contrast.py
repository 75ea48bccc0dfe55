"""Two texts that begin or end alike, with the part marked in which they are not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final, NamedTuple

__all__ = ["Marked", "contrast"]

_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")


class Marked(NamedTuple):
    """A text in three parts, of which the one in the middle is not as in the other text."""

    before: str
    differs: str
    after: str


def contrast(one: str, other: str) -> tuple[Marked, Marked]:
    """Both texts, cut at words: what they begin and end with alike stands outside of the middle."""
    words, others = _WORDS.findall(one), _WORDS.findall(other)
    begin = _alike(words, others)
    end = _alike(words[begin:][::-1], others[begin:][::-1])
    return _marked(words, begin, end), _marked(others, begin, end)


def _alike(words: Sequence[str], others: Sequence[str]) -> int:
    """How many words at the beginning are the same."""
    pairs = zip(words, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _marked(words: Sequence[str], begin: int, end: int) -> Marked:
    until = len(words) - end
    return Marked("".join(words[:begin]), "".join(words[begin:until]), "".join(words[until:]))
