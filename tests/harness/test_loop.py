"""The event loop of a run: what makes time jump, what does not, and what is left behind."""

from __future__ import annotations

import asyncio
import inspect
import queue
import socket
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import pytest

from sagaproof._run import real_time
from sagaproof._run.loop import LeftTask, LoopReport, VirtualLoop, run_async
from sagaproof._run.virtual_time import MONOTONIC_START, VirtualTime
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.clock import Clock
from sagaproof.errors import UsageError

T = TypeVar("T")

MONTH_S = 30 * 86400


def line(offset: int) -> str:
    """`file:line` of a line near the caller's."""
    frame = inspect.stack()[1]
    return f"{frame.filename}:{frame.lineno + offset}"


def run(main: Coroutine[Any, Any, T], clock: Clock | None = None, report: LoopReport | None = None) -> T:
    return run_async(main, clock or Clock(), lambda _: None, report=report)


def take_real_time(seconds: float = 0.03) -> str:
    real_time.sleep(seconds)
    return "worked"


# Time ---------------------------------------------------------------------------------------------------


def test_a_sleep_of_a_month_takes_no_time() -> None:
    clock = Clock()
    begun = real_time.monotonic()
    run(asyncio.sleep(MONTH_S), clock)
    assert real_time.monotonic() - begun < 5
    assert clock.elapsed == pytest.approx(MONTH_S)


def test_timers_fire_in_the_order_of_virtual_time_and_on_sleep_hears_of_each_jump() -> None:
    order: list[tuple[str, float]] = []
    jumps: list[float] = []
    clock = Clock()

    async def after(seconds: float, name: str) -> None:
        await asyncio.sleep(seconds)
        order.append((name, clock.elapsed))

    async def main() -> None:
        await asyncio.gather(after(3, "c"), after(1, "a"), after(2, "b"))

    run_async(main, clock, jumps.append)
    assert order == [("a", 1), ("b", 2), ("c", 3)]
    assert jumps == [1, 1, 1]


def test_loop_and_time_module_agree() -> None:
    async def main() -> tuple[float, float]:
        await asyncio.sleep(0.1)
        time.sleep(0.2)  # noqa: ASYNC251  # it is virtual
        return asyncio.get_running_loop().time(), time.monotonic()

    clock = Clock()
    with VirtualTime() as virtual:
        virtual.begin(clock, lambda _: None)
        in_loop, outside = run(main(), clock)
    assert in_loop == outside == MONOTONIC_START + clock.elapsed
    assert clock.elapsed == pytest.approx(0.3)


def test_timeouts_act_in_virtual_time() -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.sleep(100), 5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(7):
                await asyncio.Event().wait()
        with anyio.move_on_after(11):
            await anyio.sleep(1000)

    clock = Clock()
    run(main(), clock)
    assert clock.elapsed == pytest.approx(23)


@pytest.mark.parametrize("late_s", [0.1, 1e5, 5e6])
def test_timers_fire_however_late_it_is(late_s: float) -> None:
    clock = Clock()
    clock.elapsed = late_s
    run_async(partial(asyncio.sleep, 0.1), clock, lambda _: None, seconds_max=1e9)
    assert clock.elapsed == pytest.approx(late_s + 0.1)


def test_a_backoff_without_an_end_is_stopped_and_named() -> None:
    async def main() -> None:
        while True:  # noqa: ASYNC110  # a backoff
            await asyncio.sleep(86400)

    here = line(-2)
    with pytest.raises(SagaStopped, match="virtual time") as stop:
        run(main())
    assert here in stop.value.why


# What time waits for ------------------------------------------------------------------------------------


def test_time_does_not_jump_while_executor_work_is_pending() -> None:
    async def main() -> str:
        return await asyncio.wait_for(asyncio.to_thread(take_real_time), 0.001)

    clock = Clock()
    assert run(main(), clock) == "worked"
    assert clock.elapsed == 0


def test_work_that_nobody_waits_for_any_longer_still_holds_time() -> None:
    ended = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        job = loop.run_in_executor(None, lambda: ended.append(take_real_time()))
        await asyncio.sleep(0)
        job.cancel()
        await asyncio.sleep(60)
        assert ended

    run(main())


def test_work_left_in_the_executor_is_finished_with_the_run() -> None:
    ended = []

    async def main() -> None:
        asyncio.get_running_loop().run_in_executor(None, lambda: ended.append(take_real_time()))

    run(main())
    assert ended == ["worked"]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("asyncio_")]


def test_errors_come_out_of_the_executor() -> None:
    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(divmod, 1, 0)

    run(main())


def test_time_does_not_jump_while_anyio_works_in_a_thread() -> None:
    async def main() -> str:
        async with asyncio.timeout(5):
            first = await anyio.to_thread.run_sync(take_real_time)
            return first + await anyio.to_thread.run_sync(take_real_time)

    clock = Clock()
    assert run(main(), clock) == "workedworked"
    assert clock.elapsed == 0


def test_an_idle_worker_of_anyio_does_not_hold_time() -> None:
    async def main() -> None:
        await anyio.to_thread.run_sync(take_real_time)
        await asyncio.sleep(60)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 60)

    clock = Clock()
    begun = real_time.monotonic()
    run(main(), clock)
    assert clock.elapsed == pytest.approx(120)
    assert real_time.monotonic() - begun < 0.25


def test_a_socket_that_answers_is_faster_than_a_timeout() -> None:
    near, far = socket.socketpair()
    far.setblocking(False)

    def answer() -> None:
        take_real_time()
        near.send(b"ok")

    async def main() -> bytes:
        return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(far, 2), 5)

    clock = Clock()
    thread = threading.Thread(target=answer)
    thread.start()
    with near, far:
        assert run(main(), clock) == b"ok"
        thread.join()
    assert clock.elapsed == 0


def test_a_silent_socket_holds_time_for_a_grace_only() -> None:
    near, far = socket.socketpair()
    far.setblocking(False)

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.get_running_loop().sock_recv(far, 2), 3600)

    clock = Clock()
    loop = VirtualLoop(clock, lambda _: None, grace_s=0.01)
    with near, far:
        loop.run_until_complete(main())
    loop.close()
    assert clock.elapsed == pytest.approx(3600)


# Waiting for nothing ------------------------------------------------------------------------------------


def test_a_wait_for_what_never_comes_is_stopped_and_named() -> None:
    async def ship() -> None:
        await asyncio.Event().wait()

    here = line(-2)

    async def main() -> None:
        await asyncio.sleep(1)
        await ship()

    with pytest.raises(SagaStopped, match="never comes") as stop:
        run(main())
    assert here in stop.value.why


def test_the_place_of_a_deadlock_in_a_child_task_is_named_too() -> None:
    async def child() -> None:
        await asyncio.Event().wait()

    here = line(-2)

    async def main() -> None:
        await asyncio.gather(child(), child())

    with pytest.raises(SagaStopped) as stop:
        run(main())
    assert here in stop.value.why
    assert stop.value.why.index(line(-5)) < stop.value.why.index(here)


def test_on_stop_hears_of_it_before_finally_blocks_run() -> None:
    order = []

    async def main() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("finally")

    with pytest.raises(SagaStopped):
        run_async(main, Clock(), lambda _: None, on_stop=lambda stop: order.append(type(stop).__name__))
    assert order == ["SagaStopped", "finally"]


def test_a_thread_that_will_wake_the_loop_is_no_deadlock() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        answer = loop.create_future()

        def work() -> None:
            take_real_time()
            loop.call_soon_threadsafe(answer.set_result, "worked")

        thread = threading.Thread(target=work)
        thread.start()
        try:
            return str(await answer)
        finally:
            thread.join()

    assert run(main()) == "worked"


def test_a_worker_pool_of_the_users_without_work_does_not_hide_a_deadlock() -> None:
    async def main() -> None:
        with pytest.raises(RuntimeError):
            await anyio.to_thread.run_sync(refuse)
        await asyncio.Event().wait()

    def refuse() -> None:
        raise RuntimeError

    with pytest.raises(SagaStopped, match="never comes"):
        run(main())


# The end ------------------------------------------------------------------------------------------------


def test_tasks_left_over_are_reported_cancelled_and_may_clean_up() -> None:
    cleaned = []

    async def heartbeat() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(1)
            cleaned.append(True)

    here = line(-5)

    async def main() -> str:
        asyncio.create_task(heartbeat())  # noqa: RUF006
        named = asyncio.create_task(asyncio.sleep(50), name="poll")
        await asyncio.sleep(1)
        return named.get_name()

    report = LoopReport()
    assert run(main(), report=report) == "poll"
    assert cleaned == [True]
    assert report.stuck == []
    assert {(task.name.rpartition(".")[2], task.site) for task in report.left} >= {("heartbeat", here)}
    assert "poll" in {task.name for task in report.left}


def test_a_task_that_refuses_to_end_is_stuck() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    here = line(-4)

    async def main() -> None:
        asyncio.create_task(stubborn(), name="stubborn")  # noqa: RUF006
        await asyncio.sleep(0)

    report = LoopReport()
    with pytest.raises(SagaStopped, match="virtual time"):
        run(main(), report=report)
    assert report.stuck == [LeftTask("stubborn", here)]


def test_left_over_async_generators_are_closed() -> None:
    closed = []

    async def pages() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    kept = pages()

    async def main() -> int:
        return await anext(kept)

    assert run(main()) == 1
    assert closed == [True]


def test_what_main_raises_comes_out() -> None:
    async def main() -> None:
        raise KeyError("cr_1")

    with pytest.raises(KeyError, match="cr_1"):
        run(main())


def test_a_factory_that_raises_leaves_nothing_open() -> None:
    def factory() -> Coroutine[Any, Any, None]:
        raise KeyError("cr_1")

    with pytest.raises(KeyError):
        run_async(factory, Clock(), lambda _: None)


def test_a_stop_in_a_callback_ends_the_run() -> None:
    def callback() -> None:
        raise SagaStopped("made more than 500 calls")

    async def main() -> None:
        asyncio.get_running_loop().call_soon(callback)
        await asyncio.Event().wait()

    with pytest.raises(SagaStopped, match="more than 500 calls"):
        run(main())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # policies are on their way out
def test_each_run_has_a_loop_of_its_own_and_leaves_no_trace() -> None:
    policy = asyncio.get_event_loop_policy()
    loops = []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())

    run(main())
    run(main())
    assert loops[0] is not loops[1]
    assert all(loop.is_closed() for loop in loops)
    assert asyncio.get_event_loop_policy() is policy
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()


def test_it_runs_in_any_thread() -> None:
    clock = Clock()
    told: queue.Queue[object] = queue.Queue()

    async def main() -> str:
        await asyncio.sleep(3600)
        return await asyncio.to_thread(take_real_time)

    thread = threading.Thread(target=lambda: told.put(run(main(), clock)))
    thread.start()
    assert told.get(timeout=10) == "worked"
    thread.join()
    assert clock.elapsed == pytest.approx(3600)


def test_a_running_loop_is_refused_with_advice() -> None:
    async def outer() -> None:
        with pytest.raises(UsageError, match="inside of a running event loop"):
            run(asyncio.sleep(0))

    asyncio.run(outer())
