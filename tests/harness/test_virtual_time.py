"""Virtual time: what sees it, what does not, and that all is put back."""

from __future__ import annotations

import concurrent.futures
import importlib.util
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import tenacity

from sagaproof._run import real_time
from sagaproof._run.virtual_time import MONOTONIC_START, VirtualTime
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.clock import START, Clock
from sagaproof.errors import UsageError

MONTH_S = 30 * 86400

EARLY = """
import time
from time import monotonic as now, sleep

class Limiter:
    clock = time.monotonic
    pause = staticmethod(time.sleep)

    def __init__(self, sleep=time.sleep):
        self.sleep = sleep

def by_default(seconds, sleep=time.sleep, *, clock=time.time):
    sleep(seconds)
    return clock()
"""


class Slept:
    """Collects what `on_sleep` is told."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def virtual() -> Iterator[VirtualTime]:
    with VirtualTime() as virtual:
        yield virtual


@pytest.fixture
def clock(virtual: VirtualTime) -> Clock:
    clock = Clock()
    virtual.begin(clock, Slept())
    return clock


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[[str, str], ModuleType]]:
    """Load a module of the user's from a file; forgotten at the end."""
    loaded = []

    def load(name: str, text: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        loaded.append(name)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in loaded:
        del sys.modules[name]


def test_a_sleep_of_a_month_takes_no_time(clock: Clock) -> None:
    begun = real_time.monotonic()
    time.sleep(60)
    time.sleep(MONTH_S)
    assert real_time.monotonic() - begun < 5
    assert clock.elapsed == MONTH_S + 60


def test_all_clocks_move_with_a_sleep(clock: Clock) -> None:
    time.sleep(2.5)
    assert clock.elapsed == 2.5
    assert time.time() == START + 2.5
    assert time.time_ns() == int(START) * 10**9 + 2_500_000_000
    assert time.monotonic() == time.perf_counter() == MONOTONIC_START + 2.5
    assert time.monotonic_ns() == time.perf_counter_ns() == round((MONOTONIC_START + 2.5) * 1e9)


def test_on_sleep_is_told_the_seconds(virtual: VirtualTime) -> None:
    slept = Slept()
    virtual.begin(Clock(), slept)
    time.sleep(1)
    time.sleep(0.5)
    assert slept.seconds == [1.0, 0.5]


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("length", "error"),
    [(-1, ValueError), (float("nan"), ValueError), ("1", TypeError), (1e300, OverflowError)],
)
def test_a_bad_length_raises_what_the_real_sleep_raises(length: float, error: type[Exception]) -> None:
    with pytest.raises(error):
        real_time.sleep(length)
    with pytest.raises(error):
        time.sleep(length)


def test_a_backoff_without_an_end_is_stopped_and_named(clock: Clock) -> None:
    def saga() -> None:
        while True:
            time.sleep(3600)

    with pytest.raises(SagaStopped, match=r"virtual time.*3600 s at .*test_virtual_time\.py:\d+"):
        saga()
    assert clock.elapsed > MONTH_S


def test_time_is_real_outside_of_a_run(virtual: VirtualTime) -> None:
    assert time.time() - real_time.time() < 5
    virtual.begin(Clock(), Slept())
    assert time.time() == START
    virtual.pause()
    assert abs(time.monotonic() - real_time.monotonic()) < 5
    time.sleep(0)


def test_threads_that_were_there_before_the_run_keep_real_time(virtual: VirtualTime) -> None:
    asked: queue.Queue[bool] = queue.Queue()
    told: queue.Queue[float] = queue.Queue()

    def foreign() -> None:
        while asked.get():
            told.put(time.time())

    thread = threading.Thread(target=foreign)
    thread.start()
    virtual.begin(Clock(), Slept())
    asked.put(True)
    assert abs(told.get() - real_time.time()) < 5
    asked.put(False)
    thread.join()


def test_threads_of_the_run_share_its_time(clock: Clock) -> None:
    thread = threading.Thread(target=time.sleep, args=(7,))
    thread.start()
    thread.join()
    assert clock.elapsed == 7


def test_who_polls_for_a_thread_of_the_run_lets_it_have_its_turn(clock: Clock) -> None:
    done = threading.Event()

    def work() -> None:
        real_time.sleep(0.05)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        time.sleep(1)
    thread.join()
    assert clock.elapsed < 1000


def test_early_imports_and_defaults_of_user_modules_are_bound(
    load: Callable[[str, str], ModuleType],
) -> None:
    early = load("early_user_module", EARLY)
    with VirtualTime() as virtual:
        clock = Clock()
        virtual.begin(clock, Slept())
        early.sleep(1)
        early.Limiter.pause(10)
        early.Limiter().sleep(100)
        assert early.by_default(1000) == START + 1111
        assert early.now() == early.Limiter().clock() == MONOTONIC_START + 1111


def test_early_imports_are_put_back_exactly(load: Callable[[str, str], ModuleType]) -> None:
    early = load("early_user_module", EARLY)
    before = {name: getattr(time, name) for name in real_time.NAMES}
    with VirtualTime() as virtual:
        virtual.begin(Clock(), Slept())
        assert early.sleep is not before["sleep"]
    assert {name: getattr(time, name) for name in real_time.NAMES} == before
    assert early.sleep is before["sleep"]
    assert early.now is before["monotonic"]
    assert vars(early.Limiter)["clock"] is before["monotonic"]
    assert isinstance(vars(early.Limiter)["pause"], staticmethod)
    assert early.Limiter.pause is before["sleep"]
    assert early.Limiter.__init__.__defaults__ == (before["sleep"],)
    assert early.by_default.__defaults__ == (before["sleep"],)
    assert early.by_default.__kwdefaults__ == {"clock": before["time"]}


def test_all_is_put_back_when_a_run_raises() -> None:
    before = time.sleep

    def campaign() -> None:
        with VirtualTime() as virtual:
            virtual.begin(Clock(), Slept())
            raise KeyError

    with pytest.raises(KeyError):
        campaign()
    assert time.sleep is before


def test_a_module_loaded_during_a_run_is_in_virtual_time_and_put_back_too(
    load: Callable[[str, str], ModuleType],
) -> None:
    with VirtualTime() as virtual:
        clock = Clock()
        virtual.begin(clock, Slept())
        late = load("late_user_module", EARLY)
        late.sleep(1)
        late.Limiter.pause(1)
        late.by_default(1)
        assert late.Limiter().clock() == MONOTONIC_START + clock.elapsed == MONOTONIC_START + 3
    assert late.sleep is time.sleep
    assert late.by_default.__defaults__ == (time.sleep,)


def test_a_module_that_got_the_real_sleep_in_between_is_bound_at_the_next_run(
    virtual: VirtualTime, load: Callable[[str, str], ModuleType]
) -> None:
    module = load("user_module_in_between", "from sagaproof._run.real_time import sleep")
    assert module.sleep is real_time.sleep
    clock = Clock()
    virtual.begin(clock, Slept())
    module.sleep(3)
    assert clock.elapsed == 3


def test_other_modules_and_sagaproof_keep_the_real_functions(virtual: VirtualTime) -> None:
    virtual.begin(Clock(), Slept())
    assert real_time.monotonic is not time.monotonic
    assert vars(threading)["_time"] is real_time.monotonic
    assert vars(queue)["time"] is real_time.monotonic


def test_a_module_that_loads_itself_lazily_is_not_woken(tmp_path: Path) -> None:
    path = tmp_path / "lazy_user_module.py"
    path.write_text("raise AssertionError('woken')", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("lazy_user_module", path)
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["lazy_user_module"] = module
    spec.loader.exec_module(module)
    try:
        with VirtualTime():
            pass
    finally:
        del sys.modules["lazy_user_module"]


def test_a_retry_library_backs_off_in_virtual_time(clock: Clock) -> None:
    attempts = []

    @tenacity.retry(wait=tenacity.wait_fixed(600), stop=tenacity.stop_after_attempt(4), reraise=True)
    def ship() -> None:
        attempts.append(clock.elapsed)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        ship()
    assert attempts == [0, 600, 1200, 1800]


@pytest.mark.usefixtures("clock")
def test_waits_for_the_system_itself_are_measured_in_real_time() -> None:
    gate = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        job = pool.submit(gate.wait)
        with pytest.raises(TimeoutError):
            list(concurrent.futures.as_completed([job], timeout=0.02))
        gate.set()


def test_polling_for_a_process_uses_up_no_virtual_time(clock: Clock) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=0.02)
        child.kill()
    assert clock.elapsed == 0


@pytest.mark.usefixtures("virtual")
def test_a_second_virtual_time_is_refused() -> None:
    with pytest.raises(UsageError, match="already in place"), VirtualTime():
        pass
    assert time.sleep is not real_time.sleep
