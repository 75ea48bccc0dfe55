"""How a stop gets into a run: into another thread, and into code that swallows it."""

from __future__ import annotations

import _thread
import ctypes
import signal
import sys
from functools import partial
from types import FrameType
from typing import Any, Final

from sagaproof._run.where import frames_of, is_of_user
from sagaproof._taps.stopped import SagaStopped

__all__ = ["Insistence", "InsistentStop", "raise_in", "stop_because"]


def stop_because(why: str) -> type[SagaStopped]:
    """A class, which is all that one thread can raise in another."""

    class Stopped(SagaStopped):
        def __init__(self) -> None:
            super().__init__(why)

    return Stopped


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise in a thread, as soon as it runs Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class _Resend:
    """Sends the alarm when it is dropped: in C alone, so that it is met outside of whatever dropped it."""

    __del__ = staticmethod(partial(_thread.interrupt_main, signal.SIGALRM))


class InsistentStop(SagaStopped):
    """A stop after which the alarm goes off as soon as it is swallowed."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.resend = _Resend()


class Insistence:
    """Makes a stop come again in whichever block of the user's catches it, or cleans up after it.

    A stop that is raised once more in a `try` would be swallowed once more; one that is raised in the
    `except` gets out. So the user's frames are traced, and their next line raises. Python ends the tracing
    with that; a loop further out that swallows this one too gets its own by `InsistentStop`.
    """

    def __init__(self) -> None:
        self._before: Any = None
        self._why: Final[list[str]] = []

    def arm(self, frame: FrameType, base: FrameType, why: str) -> InsistentStop:
        """Trace the user's frames above `base`, and return the stop to raise now."""
        if not self._why:
            self._before = sys.gettrace()
        self._why.append(why)
        for inner in frames_of(frame, base):
            if is_of_user(inner):
                inner.f_trace = self._trace
        sys.settrace(self._trace)
        return InsistentStop(why)

    def disarm(self) -> None:
        """Trace what was traced before: a debugger, coverage or nothing."""
        if self._why:
            self._why.clear()
            sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and self._why and is_of_user(frame):
            raise InsistentStop(self._why[-1])
        return self._trace if is_of_user(frame) else None
