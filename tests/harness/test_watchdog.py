"""The watchdog: every way of hanging is ended and named, and nobody else's alarm is touched."""

from __future__ import annotations

import asyncio
import inspect
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

import pytest

from sagaproof._run import real_time
from sagaproof._run.loop import run_async
from sagaproof._run.real_waits import WaitSampler
from sagaproof._run.stops import raise_in, stop_because
from sagaproof._run.virtual_time import VirtualTime
from sagaproof._run.watchdog import Watchdog
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.clock import Clock

LIMIT_S = 0.08
LONG_S = 30.0


def line(offset: int) -> str:
    """`file:line` of a line near the caller's."""
    frame = inspect.stack()[1]
    return f"{frame.filename}:{frame.lineno + offset}"


def guarded(saga: Callable[[], object], watchdog: Watchdog) -> SagaStopped:
    """Run a saga that hangs, and return what stopped it."""
    watchdog.begin()
    try:
        saga()
    except SagaStopped as stop:
        return stop
    finally:
        watchdog.end()
    pytest.fail("it was not stopped")


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    with Watchdog(LIMIT_S) as watchdog:
        yield watchdog


@pytest.fixture
def others_alarm() -> Iterator[None]:
    """SIGALRM belongs to somebody else, as under pytest-timeout."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("the alarm of somebody else went off"))
    signal.setitimer(signal.ITIMER_REAL, LONG_S)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def spin() -> NoReturn:
    while True:
        pass


def block() -> None:
    threading.Event().wait(LONG_S)


def read_nothing() -> None:
    out, into = os.pipe()
    with os.fdopen(out), os.fdopen(into, "w"):
        os.read(out, 1)


def take(seconds: float = 0.15) -> None:
    real_time.sleep(seconds)


# Stopping -----------------------------------------------------------------------------------------------


def test_a_busy_loop_is_stopped_and_named(watchdog: Watchdog) -> None:
    stop = guarded(spin, watchdog)
    assert stop.why.startswith("hung for 0.08 s of real time at ")
    assert f"{__file__}:" in stop.why
    assert watchdog.hung_at in stop.why


@pytest.mark.parametrize(
    "wait",
    [
        block,
        lambda: queue.Queue[int]().get(timeout=LONG_S),
        lambda: queue.SimpleQueue[int]().get(timeout=LONG_S),
        lambda: [lock.acquire(timeout=LONG_S) for lock in [threading.Lock()] * 2],
        read_nothing,
        lambda: real_time.sleep(LONG_S),
    ],
    ids=["Event", "Queue", "SimpleQueue", "Lock", "pipe", "sleep"],
)
def test_a_wait_that_blocks_the_main_thread_is_ended(watchdog: Watchdog, wait: Callable[[], object]) -> None:
    guarded(wait, watchdog)


def test_the_place_is_that_of_the_user_not_of_the_library_it_waits_in(watchdog: Watchdog) -> None:
    def ship() -> None:
        threading.Event().wait(LONG_S)

    here = line(-2)
    stop = guarded(ship, watchdog)
    assert watchdog.hung_at == here
    assert stop.why.endswith(here)


def test_a_run_in_another_thread_is_stopped_there(watchdog: Watchdog) -> None:
    told: queue.Queue[SagaStopped] = queue.Queue()
    thread = threading.Thread(target=lambda: told.put(guarded(spin, watchdog)))
    thread.start()
    assert "hung for" in told.get(timeout=10).why
    thread.join()


def test_a_campaign_in_another_thread_is_guarded_by_a_thread() -> None:
    told: queue.Queue[SagaStopped] = queue.Queue()

    def campaign() -> None:
        with Watchdog(LIMIT_S) as watchdog:
            told.put(guarded(spin, watchdog))

    thread = threading.Thread(target=campaign)
    thread.start()
    assert "hung for" in told.get(timeout=10).why
    thread.join()


@pytest.mark.usefixtures("others_alarm")
def test_beside_the_alarm_of_somebody_else_a_busy_loop_is_still_stopped() -> None:
    with Watchdog(LIMIT_S) as watchdog:
        assert "hung for" in guarded(spin, watchdog).why
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= LONG_S


@pytest.mark.slow
@pytest.mark.usefixtures("others_alarm")
def test_a_stop_that_is_swallowed_comes_again_from_a_thread_too() -> None:
    with Watchdog(LIMIT_S) as watchdog:
        guarded(swallow_once, watchdog)


def swallow_once() -> None:
    try:
        spin()
    except BaseException:  # noqa: BLE001
        spin()


@pytest.mark.slow
def test_a_wait_that_swallows_every_stop_is_ended_all_the_same(watchdog: Watchdog) -> None:
    swallowed = []

    def saga() -> None:
        while True:
            try:
                block()
            except BaseException:  # noqa: BLE001
                swallowed.append(True)

    guarded(saga, watchdog)
    assert swallowed


@pytest.mark.slow
def test_a_bare_except_in_two_loops_is_no_way_out(watchdog: Watchdog) -> None:
    def inner() -> None:
        while True:
            try:
                block()
            except:  # noqa: E722
                continue

    def saga() -> None:
        while True:
            try:
                inner()
            except:  # noqa: E722
                continue

    guarded(saga, watchdog)


@pytest.mark.slow
def test_who_was_tracing_traces_again_after_it(watchdog: Watchdog) -> None:
    def trace(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        guarded(swallow_twice, watchdog)
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)


def swallow_twice() -> None:
    try:
        swallow_once()
    except BaseException:  # noqa: BLE001
        spin()


def test_a_run_that_ends_in_time_is_left_alone(watchdog: Watchdog) -> None:
    for _ in range(3):
        watchdog.begin()
        take(0.04)
        watchdog.end()
    take(2 * LIMIT_S)
    assert watchdog.hung_at == ""


def test_each_run_has_the_whole_limit(watchdog: Watchdog) -> None:
    guarded(spin, watchdog)
    assert watchdog.hung_at
    watchdog.begin()
    assert watchdog.hung_at == ""
    take(0.04)
    watchdog.end()


def test_a_late_stop_does_not_hit_whoever_called_the_run(watchdog: Watchdog) -> None:
    watchdog.begin()
    begun = real_time.monotonic()
    while real_time.monotonic() - begun < 2 * LIMIT_S:  # here, not in something that was called
        pass
    watchdog.end()


def test_a_stop_that_is_under_way_when_the_run_ends_is_gone_after_it(watchdog: Watchdog) -> None:
    sent: list[bool] = []

    class LastMoment:
        """The lock that a look from outside holds while it sends the stop."""

        def __enter__(self) -> None:
            if not sent:
                sent.append(True)
                raise_in(threading.get_ident(), stop_because("hung"))

        def __exit__(self, *_: object) -> None:
            pass

    watchdog.begin()
    watchdog._lock = LastMoment()  # type: ignore[assignment]
    watchdog.end()
    assert sent


def test_whoever_begins_a_run_for_others_leaves_their_caller_alone(watchdog: Watchdog) -> None:
    def begin() -> None:
        watchdog.begin(above=1)

    begin()
    begun = real_time.monotonic()
    while real_time.monotonic() - begun < 2 * LIMIT_S:
        pass
    watchdog.end()
    begin()
    with pytest.raises(SagaStopped):
        block()
    watchdog.end()


def test_virtual_time_does_not_confuse_it() -> None:
    with VirtualTime() as virtual, Watchdog(LIMIT_S) as watchdog:
        virtual.begin(Clock(), lambda _: None)
        stop = guarded(spin, watchdog)
        virtual.pause()
    assert "hung for" in stop.why


# In a loop ----------------------------------------------------------------------------------------------


def test_work_of_an_executor_that_never_ends_is_named_by_who_awaits_it(watchdog: Watchdog) -> None:
    let_go = threading.Event()

    async def main() -> None:
        await asyncio.to_thread(let_go.wait, LONG_S)

    here = line(-2)
    try:
        guarded(lambda: run_async(main, Clock(), lambda _: None), watchdog)
    finally:
        let_go.set()
    assert watchdog.hung_at == here


def test_a_loop_that_never_rests_is_stopped(watchdog: Watchdog) -> None:
    async def main() -> None:
        while True:  # noqa: ASYNC110  # waits for nothing
            await asyncio.sleep(0)

    assert "hung for" in guarded(lambda: run_async(main, Clock(), lambda _: None), watchdog).why


@pytest.mark.slow
def test_a_task_that_swallows_every_stop_and_every_cancellation_is_ended(watchdog: Watchdog) -> None:
    let_go = threading.Event()

    async def main() -> None:
        while True:
            try:
                await asyncio.to_thread(let_go.wait, LONG_S)
            except BaseException:  # noqa: BLE001
                continue

    try:
        guarded(lambda: run_async(main, Clock(), lambda _: None), watchdog)
    finally:
        let_go.set()


def test_a_callback_that_hangs_is_stopped(watchdog: Watchdog) -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_soon(spin)
        await asyncio.Event().wait()

    assert "hung for" in guarded(lambda: run_async(main, Clock(), lambda _: None), watchdog).why


# Real waits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_a_real_wait_is_noted_with_its_place(in_main_thread: bool) -> None:
    def saga() -> None:
        threading.Event().wait(0.2)

    here = line(-2)

    def campaign() -> None:
        with Watchdog() as watchdog:
            watchdog.begin()
            saga()
            watchdog.end()
        assert [str(wait) for wait in watchdog.real_waits] == [f"Event.wait at {here}"]

    if in_main_thread:
        campaign()
    else:
        thread = threading.Thread(target=campaign)
        thread.start()
        thread.join()


def test_a_real_wait_for_an_executor_is_noted_with_who_awaits_it() -> None:
    async def main() -> None:
        await asyncio.to_thread(take, 0.2)

    here = line(-2)
    with Watchdog() as watchdog:
        watchdog.begin()
        run_async(main, Clock(), lambda _: None)
        watchdog.end()
    assert [tuple(wait) for wait in watchdog.real_waits] == [(here, "event loop")]


@pytest.mark.parametrize(("used_s", "is_wait"), [(0.0, True), (0.03, False)])
def test_a_thread_that_uses_the_processor_between_two_looks_does_not_wait(
    used_s: float, is_wait: bool
) -> None:
    def look_twice(frame: FrameType) -> None:
        here = threading.get_ident()
        sampler.look(1, here, frame, None, 0.0)
        begun = time.thread_time()
        while time.thread_time() - begun < used_s:
            pass
        sampler.look(1, here, frame, None, 60.0 if is_wait else 0.05)

    def saga() -> None:
        look_twice(inspect.currentframe())  # type: ignore[arg-type]

    sampler = WaitSampler()
    saga()
    assert bool(sampler.found) == is_wait


def test_two_looks_at_two_runs_are_no_wait() -> None:
    def saga() -> None:
        frame = inspect.currentframe()
        assert frame is not None
        for run in (1, 2):
            sampler.look(run, threading.get_ident(), frame, None, 60.0 * run)

    sampler = WaitSampler()
    saga()
    assert not sampler.found


# What is put back ---------------------------------------------------------------------------------------


def test_signal_and_timer_are_put_back() -> None:
    with Watchdog(LIMIT_S):
        assert signal.getitimer(signal.ITIMER_REAL)[1] > 0
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.usefixtures("others_alarm")
def test_the_alarm_of_somebody_else_is_left_as_it_was() -> None:
    handler = signal.getsignal(signal.SIGALRM)
    with Watchdog(LIMIT_S):
        assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getsignal(signal.SIGALRM) is handler
    assert not [thread for thread in threading.enumerate() if thread.name == "sagaproof-watchdog"]


def test_an_alarm_that_the_user_took_over_in_a_run_stays_theirs() -> None:
    def theirs(*_: object) -> None:
        pass

    try:
        with Watchdog(LIMIT_S):
            signal.signal(signal.SIGALRM, theirs)
            signal.setitimer(signal.ITIMER_REAL, LONG_S)
        assert signal.getsignal(signal.SIGALRM) is theirs
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.slow
def test_it_works_in_a_worker_of_xdist(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist", reason="needs pytest-xdist")
    pytester.makepyfile(
        """
        import threading
        import time
        import pytest
        from sagaproof._run.virtual_time import VirtualTime
        from sagaproof._run.watchdog import Watchdog
        from sagaproof._taps.stopped import SagaStopped
        from sagaproof._world.clock import Clock

        def saga():
            time.sleep(86400)
            threading.Event().wait(30)

        def test_blocked():
            with VirtualTime() as virtual, Watchdog(0.1) as watchdog:
                virtual.begin(Clock(), lambda _: None)
                watchdog.begin()
                with pytest.raises(SagaStopped):
                    saga()
                watchdog.end()
                virtual.pause()
            assert "test_it_works_in_a_worker" in watchdog.hung_at
        """
    )
    result = pytester.runpytest_subprocess("-n1", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
