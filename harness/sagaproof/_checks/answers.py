"""What an answer tells its caller for certain, and how findings put it into words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sagaproof._model.event import Told
from sagaproof._model.fault import Learnt

__all__ = ["error_code", "is_definite", "is_nothing_to_undo", "is_poor", "told_text"]

_GONE: Final = frozenset({404, 410})
_AMBIGUOUS_4XX: Final = frozenset({408, 409})  # gave up waiting; may be about one's own earlier success


def is_definite(told: Told) -> bool:
    """Whether a failure says for certain that nothing was applied: 4xx, refused, an error in the answer."""
    if told.learnt == Learnt.STATUS:
        return told.status is not None and told.status < 500 and told.status not in _AMBIGUOUS_4XX
    return told.learnt in {Learnt.REFUSED, Learnt.SOFT}


def is_poor(told: Told) -> bool:
    """Whether an answer told a success and lacked something: to whom that does not matter, it is none."""
    return told.learnt in {Learnt.BARE, Learnt.RENAMED, Learnt.NULLS}


def is_nothing_to_undo(told: Told) -> bool:
    """Whether an undo was told that its work is done or never needed: gone, `already_...`, or fenced off."""
    if told.ok:
        return isinstance(told.body, Mapping) and told.body.get("state") == "fenced"
    return told.status in _GONE or error_code(told).startswith("already_")


def error_code(told: Told) -> str:
    """The short code in an error answer, empty if there is none."""
    error = told.body.get("error") if isinstance(told.body, Mapping) else None
    return str(error.get("code", "")) if isinstance(error, Mapping) else ""


def told_text(told: Told | None) -> str:
    """What a caller was told: `503`, `timeout`, `no answer`."""
    if told is None:
        return "no answer"
    return str(told.status) if told.learnt == Learnt.STATUS and told.status else told.learnt
