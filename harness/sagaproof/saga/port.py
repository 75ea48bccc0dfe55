"""How the core reaches the outside: call, sleep, wait. Two ports make one core sync or async."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from sagaproof.saga.errors import SagaMisuse

__all__ = ["Latch", "Port", "SyncPort", "drive", "is_async", "raise_worst"]

T = TypeVar("T")


class Latch(Protocol):
    """Something to wait for, once."""

    def open(self) -> None:
        """Let everyone through who waits, or will."""

    async def wait(self) -> None:
        """Go on once it is open."""


class Port(Protocol):
    """What the core needs that differs between threads and an event loop."""

    async def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function of the user."""

    async def sleep(self, seconds: float) -> None:
        """Wait between two attempts."""

    async def gather(self, work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Do all at the same time; when all have ended, raise the first error if there is one."""

    def latch(self) -> Latch:
        """A closed latch."""


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine of the core to its end: over a `SyncPort` it never suspends."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise SagaMisuse("something was awaited in a sync saga. Use AsyncRuntime for async tools and hooks")


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a function, or an object that is called like one, has to be awaited."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object with an async __call__
    )


class SyncPort:
    """Calls and waits where it stands; parallel calls each get a thread."""

    async def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call, and refuse an answer that would have to be awaited."""
        answer = function(*args, **kwargs)
        if inspect.iscoroutine(answer):
            answer.close()
            raise SagaMisuse(f"{function} is async, and this saga is sync. Use AsyncRuntime")
        return answer

    async def sleep(self, seconds: float) -> None:
        """Block for so long."""
        if seconds > 0:
            time.sleep(seconds)  # noqa: ASYNC251 - there is no loop to hold up

    async def gather(self, work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Run each in a thread that sees the context variables of this one."""
        if len(work) < 2:
            return [await one for one in work]
        jobs = [_Job(one) for one in work]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        raise_worst([job.error for job in jobs])
        return [job.value for job in jobs]

    def latch(self) -> Latch:
        """A latch for threads."""
        return _ThreadLatch()


class _ThreadLatch:
    def __init__(self) -> None:
        self._event = threading.Event()

    def open(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        self._event.wait()


class _Job(threading.Thread):
    """One coroutine in a thread. What it raises, a crash included, is raised again where it is asked for."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        super().__init__(name="saga-call", daemon=True)
        self._work = work
        self._context = contextvars.copy_context()
        self.value: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.value = self._context.run(drive, self._work)
        except BaseException as error:  # noqa: BLE001 - carried over to the thread that waits
            self.error = error


def raise_worst(errors: Iterable[BaseException | None]) -> None:
    """Raise one of the errors, if there is one: a process that dies outweighs whatever else went wrong."""
    found = sorted((e for e in errors if e is not None), key=lambda e: isinstance(e, Exception))
    if found:
        raise found[0]
