"""Records: what is written down of a saga, one JSON object each, and nothing else is known after a crash."""

from __future__ import annotations

import json
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

__all__ = ["KINDS", "Kind", "NotJson", "Record", "as_json", "to_text"]

Kind: TypeAlias = Literal[
    "started",  # a saga and its goal
    "intent",  # a call that is about to be sent, and how it would be undone
    "outcome",  # what is known of that call afterwards
    "unwinding",  # from here on only undos, and why
    "undoing",  # an undo that is about to be sent
    "undone",  # it is undone, and how that is known
    "undo-failed",  # it was given up: the audit trail
    "note",  # something to be told in a case
    "case",  # the package for the person on duty
    "case-sent",  # the desk has it
    "ended",  # how the saga ended
    "closed",  # nothing is left to do, unless a person decides otherwise
    "decision",  # what a person decided, before anything is done on the strength of it
    "question",  # a call that waits for the approval of a person
    "question-sent",  # the desk has it
]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""All kinds, in the order in which a saga may meet them."""

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class NotJson(ValueError):
    """A value has no place in a journal: JSON would refuse it."""


class Record(NamedTuple):
    """One entry of the journal. `body` is a JSON object; it is not to be changed once appended."""

    kind: Kind
    body: dict[str, Any]


def to_text(value: object) -> str:
    """A value as JSON text on one line, in ASCII; raises `NotJson` where it has none (NaN included)."""
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJson(f"{_shortened(value)} is not JSON: {error}") from error


def as_json(value: object) -> Any:
    """The value as it will be read back from the journal: tuples are lists, the keys of objects text.

    Raises `NotJson`. Who goes on with this value behaves the same before and after a restart.
    """
    return json.loads(to_text(value))


def _shortened(value: object, longest: int = 80) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a caller's object, whose repr may do anything
        text = f"a {type(value).__name__}"
    return text if len(text) <= longest else text[: longest - 3] + "..."
