"""An event loop in virtual time: where only timers wait, time jumps to the next of them."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent import futures
from concurrent.futures.thread import ThreadPoolExecutor
from typing import Any, Final, TypeVar, TypeVarTuple

from sagaproof._run import real_time
from sagaproof._run.idle import busy_threads
from sagaproof._run.patient_selector import Events, PatientSelector, Poll
from sagaproof._run.virtual_time import MONOTONIC_START, SECONDS_MAX, OnSleep
from sagaproof._run.where import sites_of_loop, stacks
from sagaproof._taps.stopped import ProcessDied, SagaStopped
from sagaproof._world.clock import Clock

__all__ = ["GRACE_S", "VirtualLoop"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

GRACE_S: Final = 0.25
"""How long, really, a jump waits for sockets, and for threads at work that no executor of ours knows of."""

_SLICE_S: Final = 0.05
"""The longest single real wait: a thread other than the main one is not interrupted while it is blocked."""

_HANDOVER_S: Final = 0.001
"""What a thread that looks idle gets to take up work which it may just have been given."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is that of a clock, which it moves on itself.

    With nothing to run it jumps to its next timer, tells `on_sleep` the seconds, and raises `SagaStopped`
    past `seconds_max`. It never jumps while work of an executor is pending: then it waits for real. Sockets
    and other threads at work get `grace_s` real seconds before each jump. With nothing left to wait for it
    raises `SagaStopped`, with the place that waits.
    """

    def __init__(
        self,
        clock: Clock,
        on_sleep: OnSleep,
        *,
        seconds_max: float = SECONDS_MAX,
        grace_s: float = GRACE_S,
    ) -> None:
        self.seconds_max = seconds_max
        self.main: asyncio.Future[Any] | None = None
        self.stopped: SagaStopped | None = None
        self._clock = clock
        self._on_sleep = on_sleep
        self._grace_s = grace_s
        self._pool: ThreadPoolExecutor | None = None
        self._at_work: set[futures.Future[Any]] = set()
        self._threads_before = busy_threads()
        self._files = PatientSelector(self._wait)
        super().__init__(self._files)
        self._own_files = len(self._files.get_map())
        self.set_exception_handler(_note_stop)

    def time(self) -> float:
        """Virtual seconds, the same as `time.monotonic` says in a run."""
        return MONOTONIC_START + self._clock.elapsed

    def waiting_at(self) -> str:
        """Where the tasks wait, `file:line` joined by commas, the main one first."""
        return sites_of_loop(self, self.main)

    def set_default_executor(self, executor: ThreadPoolExecutor) -> None:  # type: ignore[override]
        """Use this pool for work without an executor of its own."""
        super().set_default_executor(executor)
        self._pool = executor

    def run_in_executor(
        self, executor: futures.Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """As ever, and no jump until the work is done, even if nobody waits for it any longer."""
        if self.is_closed():
            msg = "Event loop is closed"
            raise RuntimeError(msg)
        if executor is None:
            if self._pool is None:
                self.set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio"))
            executor = self._pool
            assert executor is not None
        work = executor.submit(func, *args)
        self._at_work.add(work)
        result = asyncio.wrap_future(work, loop=self)
        # In this order: when the loop forgets the work, its result is already under way.
        work.add_done_callback(self._forget)
        return result

    def _forget(self, work: futures.Future[Any]) -> None:
        if not self.is_closed():
            self.call_soon_threadsafe(self._at_work.discard, work)

    async def finish_work(self) -> None:
        """Wait for all work that executors have been given by this loop, then end the default one."""
        while self._at_work:
            await asyncio.gather(*map(asyncio.wrap_future, self._at_work), return_exceptions=True)
            await asyncio.sleep(0)
        if self._pool is not None:
            self._pool.shutdown()

    def close(self) -> None:
        """Close the loop; work that has not begun is dropped, work that has is not waited for."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()

    # Waiting --------------------------------------------------------------------------------------------

    def _wait(self, timeout: float | None, poll: Poll) -> Events:
        begun = real_time.monotonic()
        left = self._patience(timeout)
        while left > 0:
            events = poll(min(left, _SLICE_S))
            if events:
                return events
            left = self._patience(timeout) - (real_time.monotonic() - begun)
        if timeout is None:
            raise SagaStopped(f"waits for something that never comes, at {self.waiting_at()}")
        self._jump(timeout)
        return []

    def _patience(self, timeout: float | None) -> float:
        """How long to wait for real, since somebody else may still have something for us."""
        if self._at_work:
            return math.inf
        others = stacks().keys() - self._threads_before
        if len(self._files.get_map()) > self._own_files or busy_threads(self._threads_before):
            return math.inf if timeout is None else min(timeout, self._grace_s)
        return _HANDOVER_S if others else 0.0

    def _jump(self, timeout: float) -> None:
        self._clock.advance(timeout)
        self._on_sleep(timeout)
        if self._clock.elapsed > self.seconds_max:
            raise SagaStopped(
                f"took more than {self.seconds_max / 86400:g} days of virtual time, "
                f"a backoff without an end? It waits at {self.waiting_at()}"
            )


def _note_stop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A callback that was stopped stops the loop; asyncio would only log it. What is stuck was reported."""
    error = context.get("exception")
    if (loop.is_closed() and error is None) or isinstance(error, ProcessDied):
        return  # what the dead still raise: their loop ends by itself, since they can neither call nor wait
    if isinstance(loop, VirtualLoop) and isinstance(error, SagaStopped):
        loop.stopped = loop.stopped or error
        loop.stop()
    else:
        loop.default_exception_handler(context)
