"""The port of the core to an event loop."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from sagaproof.saga.port import Latch, is_async, raise_worst

__all__ = ["LoopPort", "shielded"]

T = TypeVar("T")


class LoopPort:
    """Awaits async functions, and runs sync ones in a thread so that they hold nobody up."""

    async def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call, and await what has to be awaited."""
        if is_async(function):
            return await function(*args, **kwargs)
        answer = await asyncio.to_thread(function, *args, **kwargs)
        return await answer if inspect.isawaitable(answer) else answer

    async def sleep(self, seconds: float) -> None:
        """Let others go on for so long."""
        await asyncio.sleep(seconds)

    async def gather(self, work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Run each as a task. A cancellation reaches all of them, and all have ended when it goes on."""
        if len(work) < 2:
            return [await one for one in work]
        tasks = [asyncio.ensure_future(one) for one in work]
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            raise
        raise_worst(task.exception() for task in tasks)
        return [task.result() for task in tasks]

    def latch(self) -> Latch:
        """A latch for tasks."""
        return _TaskLatch()


class _TaskLatch:
    def __init__(self) -> None:
        self._event = asyncio.Event()

    def open(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


async def shielded(work: Coroutine[Any, Any, T]) -> T:
    """Carry the work through whatever is cancelled meanwhile; the cancellation is raised when it is done."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    result = task.result()
    if cancelled is not None:
        raise cancelled
    return result
