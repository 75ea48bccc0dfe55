"""Steps that are written once and serve sync and async sagas: coroutines that a sync saga never suspends."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine
from typing import Any, TypeVar

from sagaproof._drivers.protocol import Driver
from sagaproof.errors import UsageError

__all__ = ["done", "finish_sync"]

T = TypeVar("T")


async def done(driver: Driver, value: Any) -> Any:
    """What a method of the driver returned, awaited where the saga is asynchronous."""
    if not inspect.isawaitable(value):
        return value
    if driver.asynchronous:
        return await value
    if inspect.iscoroutine(value):
        value.close()
    raise _taken_for_synchronous()


def finish_sync(steps: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never really waits, without an event loop."""
    try:
        steps.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # StopIteration carries the coroutine's value
    steps.close()
    raise _taken_for_synchronous()


def _taken_for_synchronous() -> UsageError:
    return UsageError(
        "a saga that was taken for synchronous returned something to await",
        advice="Declare the body with `async def`; of a fed saga its methods, and say in the return "
        "annotation of what makes it which class it is.",
    )
