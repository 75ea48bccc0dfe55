"""Whether machines play only the examples that Hypothesis has saved as failing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["is_saved_only", "saved_only"]

_SAVED: Final = ContextVar("saved_only", default=False)


def is_saved_only() -> bool:
    """Whether nothing new is to be drawn."""
    return _SAVED.get()


@contextmanager
def saved_only() -> Iterator[None]:
    """Draw nothing new inside."""
    token = _SAVED.set(True)
    try:
        yield
    finally:
        _SAVED.reset(token)
