"""Whether a text for a person names something: the words in any JSON value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

__all__ = ["mentions", "words_of"]

_WORD = re.compile(r"[\w.@:/-]*\w")


def words_of(value: object) -> frozenset[str]:
    """Every word in the strings and numbers of a value, mapping keys included."""
    words: set[str] = set()
    for text in _texts(value):
        words.add(text)
        words.update(_WORD.findall(text))
    return frozenset(words)


def mentions(words: frozenset[str], name: str | None) -> bool:
    """Whether `name` is one of the words, or stands inside one set off by punctuation (`credit:cr_1`)."""
    if not name:
        return False
    if name in words:
        return True
    inside = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    return any(name in word and inside.search(word) for word in words)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from _texts(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
