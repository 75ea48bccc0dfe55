"""The saga under test as a whole, where it is asynchronous: the task that is cancelled if the saga is."""

from __future__ import annotations

import asyncio

__all__ = ["Whole"]


class Whole:
    """The task that runs a saga. Made inside of it."""

    __slots__ = ("_loop", "_task")

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._loop = asyncio.get_running_loop()

    def is_current(self) -> bool:
        """Whether it is this task that runs now, and not one of those that it has started."""
        return _current() is self._task

    def cancel(self) -> None:
        """Ask it to stop; it gets to know where it waits, or waits next. Other threads may ask, too."""
        if _current() is None:
            self._loop.call_soon_threadsafe(self._task.cancel)
        else:
            self._task.cancel()


def _current() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # a thread without a loop
        return None
