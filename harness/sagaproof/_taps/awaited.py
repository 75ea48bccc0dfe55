"""Whether what a callable does is done when it returns, or when its answer is awaited."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sagaproof.errors import UsageError

__all__ = ["is_async", "require_at_hand"]


def is_async(fn: Callable[..., Any]) -> bool:
    """Whether a call has to be awaited: of a coroutine function, or an object that is called like one."""
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)


def require_at_hand(name: str, value: object) -> None:
    """Raise `UsageError` for an answer that is still to be awaited, so that nothing has been done yet."""
    if not inspect.isawaitable(value):
        return
    if inspect.iscoroutine(value):
        value.close()  # or it would complain that nobody awaited it
    raise UsageError(
        f"{name!r} is no coroutine function, and what it returns has to be awaited all the same",
        advice="Wrap an `async def` that awaits it.",
    )
