"""Two ways to be called again and again in real time: by a signal, in the main thread, or by a thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

__all__ = ["SignalAlarm", "ThreadAlarm"]

Tick = Callable[[FrameType | None], None]
"""Gets the frame that was interrupted, if it is that of the calling thread."""


class SignalAlarm:
    """Calls `tick` in the main thread every `every_s` seconds, out of whatever runs there or blocks it."""

    def __init__(self, tick: Tick, every_s: float) -> None:
        self._tick = tick
        self._every_s = every_s
        self._before: Any = None

    @staticmethod
    def is_free() -> bool:
        """Whether this is the main thread and nobody uses SIGALRM or its timer (pytest-timeout does)."""
        return (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
            and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        )

    def start(self) -> None:
        """Take over signal and timer."""
        self._before = signal.signal(signal.SIGALRM, self._on_alarm)
        signal.setitimer(signal.ITIMER_REAL, self._every_s, self._every_s)

    def again(self) -> None:
        """Set the timer once more, in a process that has come by a fork: signals go along, timers do not."""
        signal.setitimer(signal.ITIMER_REAL, self._every_s, self._every_s)

    def stop(self) -> None:
        """Put both back, unless somebody has taken them over in the meantime."""
        if signal.getsignal(signal.SIGALRM) == self._on_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def _on_alarm(self, _number: int, frame: FrameType | None) -> None:
        self._tick(frame)


class ThreadAlarm:
    """Calls `tick` every `every_s` seconds from a thread of its own, which cannot unblock another one."""

    NAME: Final = "sagaproof-watchdog"

    def __init__(self, tick: Tick, every_s: float) -> None:
        self._tick = tick
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.NAME, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for its end."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self._every_s):
            self._tick(None)
