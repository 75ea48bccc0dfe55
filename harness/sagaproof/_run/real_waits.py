"""Waits that took real time inside of a run, noticed by looking at its thread now and then."""

from __future__ import annotations

import time
from types import FrameType
from typing import Final, NamedTuple

from sagaproof._run.where import frames_of, is_of_user, site_of_frame

__all__ = ["RealWait", "WaitSampler"]

_ASLEEP: Final = 0.2
"""A thread that used less of a processor than this between two looks was not at work."""

_ENGINES: Final = "sagaproof._drivers.dbos"
"""Whose waits are left out."""


class RealWait(NamedTuple):
    """A place that waited in real time: `file:line` of the user's, and what was called there, if known."""

    site: str
    call: str

    def __str__(self) -> str:
        return f"{self.call} at {self.site}" if self.call else self.site


class _Look(NamedTuple):
    run: int
    frame: int
    instruction: int
    at: float
    used: float


class WaitSampler:
    """Notes a wait if two looks at a run find its thread at the same instruction, and it did not work."""

    def __init__(self) -> None:
        self.found: dict[RealWait, None] = {}
        self._last = _Look(0, 0, 0, 0.0, 0.0)

    def look(self, run: int, thread: int, frame: FrameType, until: FrameType | None, at: float) -> None:
        """Look at a thread of a run, which is alive; `until` is the frame that called the run."""
        # The id, not the frame itself: to hold it would keep the user's objects alive.
        look = _Look(run, id(frame), frame.f_lasti, at, _used_by(thread))
        last, self._last = self._last, look
        if look[:3] == last[:3] and look.used - last.used < _ASLEEP * (look.at - last.at):
            if _is_for_engine(frame, until):
                return
            wait = RealWait(site_of_frame(frame, until), _called_by_user(frame, until))
            self.found.setdefault(wait)


def _is_for_engine(frame: FrameType, until: FrameType | None) -> bool:
    """Whether a driver of ours waits for an engine that has threads of its own: no doing of the saga."""
    for inner in frames_of(frame, until):
        if is_of_user(inner):
            return False
        if str(inner.f_globals.get("__name__")).startswith(_ENGINES):
            return True
    return False


def _called_by_user(frame: FrameType, until: FrameType | None) -> str:
    call = ""
    for inner in frames_of(frame, until):
        if is_of_user(inner):
            return call
        call = inner.f_code.co_qualname
        if call.endswith(".run_forever"):
            return "event loop"
    return ""


def _used_by(thread: int) -> float:
    """The processor time of a thread in seconds; 0 where the platform does not tell."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return 0.0
    return time.clock_gettime(time.pthread_getcpuclockid(thread))
