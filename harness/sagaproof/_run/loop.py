"""One event loop for each run, and what the run left behind in it."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from sagaproof._run.virtual_loop import VirtualLoop
from sagaproof._run.virtual_time import SECONDS_MAX, OnSleep
from sagaproof._run.where import site_of_task
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.clock import Clock
from sagaproof.errors import UsageError

__all__ = ["LeftTask", "LoopReport", "VirtualLoop", "run_async"]

T = TypeVar("T")

_WIND_UP_S: Final = 60.0
"""The virtual time that left-over tasks get to end once they are cancelled."""

_CLOSE_TIMES: Final = 3

_GIVEN_NAME: Final = re.compile(r"Task-\d+")


class LeftTask(NamedTuple):
    """A task that was still pending when its run ended; `site` is the `file:line` where it waited."""

    name: str
    site: str


@dataclass(slots=True)
class LoopReport:
    """What a run left behind in its loop, in the order of sites: `stuck` did not even end when cancelled."""

    left: list[LeftTask] = field(default_factory=list)
    stuck: list[LeftTask] = field(default_factory=list)


def run_async(
    main: Awaitable[T] | Callable[[], Awaitable[T]],
    clock: Clock,
    on_sleep: OnSleep,
    *,
    seconds_max: float = SECONDS_MAX,
    report: LoopReport | None = None,
    on_stop: Callable[[SagaStopped], None] | None = None,
) -> T:
    """Run an awaitable, or what a factory makes, to its end in a fresh loop in virtual time.

    Tasks that are left over are noted in `report` and cancelled. Raises what `main` raises, and
    `SagaStopped` if it would never end; `on_stop` hears of that before anything is cancelled, so that it can
    close the world to the `finally` blocks that then run. Raises `UsageError` inside of a running loop.
    """
    _refuse_running_loop(main)
    report = LoopReport() if report is None else report
    loop = VirtualLoop(clock, on_sleep, seconds_max=seconds_max)
    try:
        try:
            result = _run(loop, main)
        except SagaStopped as stop:
            if on_stop is not None:
                on_stop(stop)
            _wind_up(loop, clock, report, stopped=True)
            raise
        except BaseException:
            _wind_up(loop, clock, report)
            raise
        _wind_up(loop, clock, report)
        return result
    finally:
        loop.close()


def _run(loop: VirtualLoop, main: Awaitable[T] | Callable[[], Awaitable[T]]) -> T:
    started = _start(main() if not inspect.isawaitable(main) else main)
    loop.main = loop.create_task(started)
    try:
        return loop.run_until_complete(loop.main)  # type: ignore[no-any-return]
    except RuntimeError as error:
        # asyncio's words for a loop that was stopped from inside.
        if loop.stopped is not None and not loop.main.done():
            raise loop.stopped from error
        raise


async def _start(main: Awaitable[T]) -> T:
    return await main


def _refuse_running_loop(main: object) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    if inspect.iscoroutine(main):
        main.close()
    raise UsageError(
        "an exploration was started inside of a running event loop",
        advice="Make the exploring test `async def` under @explore alone, without a mark or fixture that "
        "starts a loop of its own (pytest-asyncio, anyio): each run gets a loop from sagaproof.",
    )


def _wind_up(loop: VirtualLoop, clock: Clock, report: LoopReport, *, stopped: bool = False) -> None:
    """Cancel what is left and let it end, as `asyncio.run` does."""
    loop.seconds_max = clock.elapsed + _WIND_UP_S
    loop.stopped = None
    tasks = asyncio.all_tasks(loop)
    report.left.extend(_described(tasks - {loop.main}))
    try:
        if tasks:
            for task in tasks:
                task.cancel()
            loop.run_until_complete(_gone(tasks))
        loop.run_until_complete(loop.shutdown_asyncgens())
        if not stopped:
            loop.run_until_complete(loop.finish_work())
    except SagaStopped:
        stuck = {task for task in tasks if not task.done()}
        report.stuck.extend(_described(stuck - {loop.main}))
        for task in stuck:
            _close(task)
        if not stopped:
            raise


async def _gone(tasks: set[asyncio.Task[Any]]) -> None:
    # Takes up what they raise, too: of tasks that were cancelled nobody asks for it.
    await asyncio.gather(*tasks, return_exceptions=True)


def _close(task: asyncio.Task[Any]) -> None:
    """End the coroutine of a task now: when it is collected, no watchdog looks at how it takes that."""
    for _ in range(_CLOSE_TIMES):
        with suppress(Exception, SagaStopped):  # whatever the saga says to its end
            task.get_coro().close()
            return


def _described(tasks: set[Any]) -> list[LeftTask]:
    return sorted(
        (LeftTask(_name(task), site_of_task(task)) for task in tasks), key=lambda left: (left.site, left.name)
    )


def _name(task: asyncio.Task[Any]) -> str:
    """The name that somebody gave the task, else that of its coroutine: asyncio counts over all runs."""
    name = task.get_name()
    if not _GIVEN_NAME.fullmatch(name):
        return name
    return getattr(task.get_coro(), "__qualname__", name)
