"""Ends a run that takes too long in real time, and notes what waits in real time."""

from __future__ import annotations

import sys
import threading
from threading import get_ident
from types import FrameType
from typing import Final, Self

from sagaproof._run import real_time
from sagaproof._run.alarms import SignalAlarm, ThreadAlarm
from sagaproof._run.real_waits import RealWait, WaitSampler
from sagaproof._run.stops import Insistence, raise_in, stop_because
from sagaproof._run.where import frames_of, is_of_user, site_of_frame, stacks
from sagaproof._taps.stopped import SagaStopped

__all__ = ["Watchdog"]

_TICK_S: Final = 0.05
_AGAIN_S: Final = 1.0


class Watchdog:
    """Guards the runs of a campaign: raises `SagaStopped` in one that is not over after `limit_s`.

    In the main thread it comes as SIGALRM, which ends blocking waits too; if that is somebody else's
    (pytest-timeout), or the runs are in another thread, a thread raises it, as soon as no wait blocks.
    A run that swallows it gets it again after a second, and then at every tick; by signal also in the very
    block that swallows it, so that no run gets away.

    The stop may come out of whatever is called between `begin` and `end`. `hung_at` is the `file:line` where
    the last run was first stopped. A campaign is guarded once: entering a second time is no use.
    """

    def __init__(self, limit_s: float = 10.0) -> None:
        self.limit_s = limit_s
        self.hung_at = ""
        self._alarm: SignalAlarm | ThreadAlarm | None = None
        self._lock = threading.Lock()
        self._waits = WaitSampler()
        self._insistence = Insistence()
        self._runs = 0
        self._running = False
        self._strikes = 0
        self._due = 0.0
        self._thread = 0
        self._base: FrameType | None = None

    def __enter__(self) -> Self:
        every_s = min(_TICK_S, self.limit_s / 4)
        if SignalAlarm.is_free():
            self._alarm = SignalAlarm(self._tick, every_s)
        else:
            self._alarm = ThreadAlarm(self._tick_from_outside, every_s)
        self._alarm.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        if self._alarm is not None:
            self._alarm.stop()

    def begin_in_fork(self) -> None:
        """Keep watch in a new process, to which neither timers nor threads have come along."""
        self._lock = threading.Lock()
        every_s = min(_TICK_S, self.limit_s / 4)
        if isinstance(self._alarm, SignalAlarm):
            self._alarm.again()
        elif self._alarm is not None:
            self._alarm = ThreadAlarm(self._tick_from_outside, every_s)
            self._alarm.start()

    @property
    def real_waits(self) -> tuple[RealWait, ...]:
        """What waited in real time in any run so far, each place once; shorter than 50 ms is not seen."""
        return tuple(self._waits.found)

    def note_waits(self, waits: tuple[RealWait, ...]) -> None:
        """Take in what another process waited for in real time."""
        self._waits.found.update(dict.fromkeys(waits))

    def begin(self, above: int = 0) -> None:
        """A run begins, in this thread: what the caller calls from now on belongs to it.

        The caller is the function that calls `begin`, or that many `above` it.
        """
        self._base = sys._getframe(1 + above)  # noqa: SLF001  # documented, in spite of its name
        self._thread = get_ident()
        self.hung_at = ""
        self._strikes = 0
        self._runs += 1
        self._due = real_time.monotonic() + self.limit_s
        self._running = True

    def end(self) -> None:
        """The run is over; a second call does nothing."""
        while True:
            try:
                self._end()
            except SagaStopped:  # sent while the run was already leaving
                continue
            return

    def _end(self) -> None:
        self._running = False
        with self._lock:  # whoever is looking at the run from outside has done so after this
            pass
        if self._strikes and self._thread == get_ident():
            # What is under way arrives here at the latest. To take it back would leave CPython 3.11 with a
            # flag that is never cleared: slow from then on, and in an endless loop under a tracer.
            for _ in range(2):
                pass
            self._insistence.disarm()
        self._base = None

    # Looking ------------------------------------------------------------------------------------------

    def _tick(self, frame: FrameType | None) -> None:
        """Look at the run from the main thread, out of a signal handler."""
        if not self._running:
            return
        if self._thread != get_ident():
            self._tick_from_outside()
        elif frame is not None:
            why, base = self._judge(frame), self._base
            if why and base is not None:
                raise SagaStopped(why) if self._strikes == 1 else self._insistence.arm(frame, base, why)

    def _tick_from_outside(self, _: FrameType | None = None) -> None:
        """Look at the run from another thread than its own."""
        with self._lock:
            frame = stacks().get(self._thread) if self._running else None
            why = "" if frame is None else self._judge(frame)
            if why:
                raise_in(self._thread, stop_because(why))

    def _judge(self, frame: FrameType) -> str:
        """Why the run has to be stopped now, if it has."""
        now, base = real_time.monotonic(), self._base
        if now < self._due:
            self._waits.look(self._runs, self._thread, frame, base, now)
            return ""
        if base is None or not _is_inside(frame, base) or (self._strikes and not _is_of_saga(frame, base)):
            return ""
        site = site_of_frame(frame, base)
        self._strikes += 1
        if self._strikes == 1:
            self.hung_at = site
            self._due = now + _AGAIN_S
        return f"hung for {self.limit_s:g} s of real time at {site}"


def _is_inside(frame: FrameType, base: FrameType) -> bool:
    """Whether a stack is still in something that `base` called, and not in the watchdog itself."""
    if frame is base or frame.f_code is Watchdog.end.__code__:
        return False
    root = _root(frame, base)
    # A stack of its own (a greenlet's) does not end where that of the base does.
    return root.f_back is base or root is not _root(base)


def _root(frame: FrameType, until: FrameType | None = None) -> FrameType:
    for root in frames_of(frame, until):
        frame = root
    return frame


def _is_of_saga(frame: FrameType, base: FrameType) -> bool:
    """Whether anything but sagaproof itself is at work, which is about to end a run that was stopped."""
    return not _is_ours(frame) or any(
        is_of_user(inner) or ("-packages" in inner.f_code.co_filename and not _is_ours(inner))
        for inner in frames_of(frame, base)
    )


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("sagaproof.")
