"""Threads that a run started and left running."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from sagaproof._run import real_time
from sagaproof._run.idle import is_idle
from sagaproof._run.where import site_of_frame, stacks

__all__ = ["Straggler", "ThreadsOfRun"]

JOIN_S: Final = 0.2
"""How long, really, the threads of a run together get to end after it."""

_HANDOVER_S: Final = 0.002
"""What a worker that looks idle gets to take up work which it may just have been given."""

_GIVEN_NAME: Final = re.compile(r"(Thread-\d+|Dummy-\d+)( \(.*\))?|ThreadPoolExecutor-\d+_\d+")


class Straggler(NamedTuple):
    """A thread that outlived its run: `target` is the `file:line` of what it runs, `site` where it is now."""

    name: str
    target: str
    site: str


class ThreadsOfRun:
    """Notes the threads that are alive before a run, and tells which of those after it are new.

    Only threads of the module `threading` are known by it. Workers of pools without work are none of them.
    `alive` are those that the last run left behind.
    """

    def __init__(self) -> None:
        self._before: frozenset[threading.Thread] = frozenset()
        self.alive: tuple[threading.Thread, ...] = ()

    def begin(self) -> None:
        """The run begins: threads that are alive now do not belong to it."""
        self._before = frozenset(threading.enumerate())

    def end(self) -> tuple[Straggler, ...]:
        """The run is over: wait shortly for its threads, and name those that stay, sorted."""
        self.alive = ()
        started = [thread for thread in threading.enumerate() if thread not in self._before]
        if not started:
            return ()
        until = real_time.monotonic() + JOIN_S
        for thread in started:
            thread.join(_HANDOVER_S)
            while thread.is_alive() and not _is_idle(thread) and real_time.monotonic() < until:
                thread.join(0.01)
        self.alive = tuple(thread for thread in started if thread.is_alive() and not _is_idle(thread))
        return tuple(sorted(map(_described, self.alive)))


def _is_idle(thread: threading.Thread) -> bool:
    frame = stacks().get(thread.ident or 0)
    return frame is not None and is_idle(frame)


def _described(thread: threading.Thread) -> Straggler:
    target: Callable[..., Any] = getattr(thread, "_target", None) or type(thread).run
    name = thread.name
    if _GIVEN_NAME.fullmatch(name):  # counted over all runs
        name = getattr(target, "__qualname__", type(thread).__qualname__)
    frame = stacks().get(thread.ident or 0)
    return Straggler(name, _defined_at(target), "" if frame is None else site_of_frame(frame))


def _defined_at(target: Callable[..., Any]) -> str:
    code = getattr(getattr(target, "__func__", target), "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
