"""Virtual time for the functions of the module `time`, while a run is active and for its threads alone.

Not here: `datetime.now`, which is C and reads the clock of the system, and waits that are no `time.sleep`
(`Event.wait(timeout)`, sockets, subprocesses), which stay real; the watchdog reports those.
"""

from __future__ import annotations

import math
import operator
import threading
import time
from collections.abc import Callable
from threading import get_ident
from types import ModuleType
from typing import Any, Final, Self, SupportsIndex

from sagaproof._run import real_time
from sagaproof._run.rebind import Rebinding
from sagaproof._run.where import stacks
from sagaproof._taps.site import caller_site
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.clock import START, Clock
from sagaproof.errors import UsageError

__all__ = ["MONOTONIC_START", "SECONDS_MAX", "OnSleep", "VirtualTime"]

OnSleep = Callable[[float], None]
"""Is told the seconds by which time has just moved on, in the thread that slept."""

SECONDS_MAX: Final = 31 * 86400.0
"""How much virtual time a run may take: a wait of 30 days, and whatever else takes time in the same run."""

MONOTONIC_START: Final = 1024.0
"""What `time.monotonic` and the event loop say at the start of a run; not 0, which is false."""

_GIVEN_WAY_S: Final = 0.001
_TOO_LONG_S: Final = 9_223_372_036
_NS: Final = 1_000_000_000


class VirtualTime:
    """Puts virtual time in place for a whole campaign; real outside of runs, and for all other threads.

    While a run is active, its thread and the threads started since `begin` see the run's clock, and
    `time.sleep` moves it instead of waiting. Threads that were alive at `begin` keep real time. Names that
    user modules imported early are bound too, see `Rebinding`, and all is put back at the end.
    """

    _installed: VirtualTime | None = None

    def __init__(self, *, seconds_max: float = SECONDS_MAX) -> None:
        self._functions = _Functions(seconds_max)
        self._before: dict[str, Any] = {}
        self._rebinding: Rebinding | None = None

    def __enter__(self) -> Self:
        if VirtualTime._installed is not None:
            raise UsageError(
                "virtual time is already in place",
                advice="One exploration at a time: do not explore from inside of a test that explores.",
            )
        VirtualTime._installed = self
        stand_ins = {name: getattr(self._functions, name) for name in real_time.NAMES}
        self._before = {name: getattr(time, name) for name in stand_ins}
        real = ModuleType("time", time.__doc__)
        vars(real).update(vars(time))
        pairs = {self._before[name]: stand_in for name, stand_in in stand_ins.items()}
        self._rebinding = Rebinding(pairs, real)
        for name, stand_in in stand_ins.items():
            setattr(time, name, stand_in)
        self._rebinding.scan()
        return self

    def __exit__(self, *_: object) -> None:
        self.pause()
        for name, function in self._before.items():
            setattr(time, name, function)
        if self._rebinding is not None:
            self._rebinding.restore()
        VirtualTime._installed = None

    def look(self) -> None:
        """Bind the names in modules that were imported since the last look."""
        if self._rebinding is not None:
            self._rebinding.scan()

    def begin(self, clock: Clock, on_sleep: OnSleep) -> None:
        """Start a run in the calling thread: from now on its time is that of `clock`."""
        self.look()
        functions = self._functions
        functions.foreign = stacks().keys() - {get_ident()}
        functions.threads = threading.active_count()
        functions.on_sleep = on_sleep
        functions.clock = clock

    def pause(self) -> None:
        """End the run: real time for all, until the next `begin`."""
        self._functions.clock = None


class _Functions:
    """The stand-ins, as bound methods: unlike functions they stay what they are in the body of a class."""

    def __init__(self, seconds_max: float) -> None:
        self.clock: Clock | None = None
        self.on_sleep: OnSleep = lambda _: None
        self.foreign: set[int] = set()
        self.threads = 0
        self._seconds_max = seconds_max

    def _of_run(self) -> Clock | None:
        clock = self.clock
        return None if clock is None or get_ident() in self.foreign else clock

    def sleep(self, seconds: SupportsIndex | float, /) -> None:
        """Move virtual time on by `seconds`. Raises `SagaStopped` past the budget of the run."""
        clock = self._of_run()
        if clock is None:
            real_time.sleep(seconds)
            return
        length = _length(seconds)
        if threading.active_count() > self.threads:
            # Somebody may be waiting for another thread of the run: let it have its turn.
            real_time.sleep(min(length, _GIVEN_WAY_S))
        clock.advance(length)
        self.on_sleep(length)
        if clock.elapsed > self._seconds_max:
            raise SagaStopped(
                f"took more than {self._seconds_max / 86400:g} days of virtual time, "
                f"a backoff without an end? It last slept {length:g} s at {caller_site()}"
            )

    def time(self) -> float:
        """Seconds since the epoch."""
        clock = self._of_run()
        return clock.wall() if clock is not None else real_time.time()

    def time_ns(self) -> int:
        """Nanoseconds since the epoch."""
        clock = self._of_run()
        if clock is None:
            return real_time.time_ns()
        return int(START) * _NS + round((clock.elapsed + clock.skew) * _NS)

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back."""
        clock = self._of_run()
        return MONOTONIC_START + clock.elapsed if clock is not None else real_time.monotonic()

    def monotonic_ns(self) -> int:
        """Nanoseconds of the same clock."""
        clock = self._of_run()
        return _ns(clock) if clock is not None else real_time.monotonic_ns()

    def perf_counter(self) -> float:
        """Seconds of a clock for measuring; in virtual time the same as `monotonic`."""
        clock = self._of_run()
        return MONOTONIC_START + clock.elapsed if clock is not None else real_time.perf_counter()

    def perf_counter_ns(self) -> int:
        """Nanoseconds of the same clock."""
        clock = self._of_run()
        return _ns(clock) if clock is not None else real_time.perf_counter_ns()


def _ns(clock: Clock) -> int:
    return round((MONOTONIC_START + clock.elapsed) * _NS)


def _length(seconds: SupportsIndex | float) -> float:
    """What `time.sleep` would make of its argument, with its errors."""
    length = seconds if isinstance(seconds, float) else operator.index(seconds)
    if math.isnan(length):
        msg = "Invalid value NaN (not a number)"
        raise ValueError(msg)
    if length < 0:
        msg = "sleep length must be non-negative"
        raise ValueError(msg)
    if length > _TOO_LONG_S:
        msg = "timestamp too large to convert to C _PyTime_t"
        raise OverflowError(msg)
    return float(length)
