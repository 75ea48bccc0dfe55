"""How a stop gets into a run: into code that swallows it, and into another thread."""

from __future__ import annotations

import _thread
import ctypes
import signal
from functools import partial

from sagaproof._taps.gate import SagaStopped

__all__ = ["InsistentStop", "raise_in", "stop_because"]


class _Resend:
    """Sends the alarm when it is dropped: in C alone, so that it is met outside of whatever dropped it."""

    __del__ = staticmethod(partial(_thread.interrupt_main, signal.SIGALRM))


class InsistentStop(SagaStopped):
    """A stop that comes again at once if it is swallowed."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.resend = _Resend()


def stop_because(why: str) -> type[SagaStopped]:
    """A class, which is all that one thread can raise in another."""

    class Stopped(SagaStopped):
        def __init__(self) -> None:
            super().__init__(why)

    return Stopped


def raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise in a thread, as soon as it runs Python code; None takes back what is still under way."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error)
    )
