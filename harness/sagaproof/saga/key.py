"""Keys: what a call, an undo or a case is called outside, each of them by a name that no other has."""

from __future__ import annotations

__all__ = ["UNDO", "key_of", "part"]

UNDO = "/undo"
"""What the key of an undo has more than that of its call; no id of a call ends so."""


def part(name: str) -> str:
    """A name as one part of a key: a slash in it does not look like one between two parts."""
    return name.replace("%", "%25").replace("/", "%2F")


def key_of(saga: str, within: str) -> str:
    """The key of something within a saga: "a" and "b/c" give another one than "a/b" and "c"."""
    return f"{part(saga)}/{within}"
