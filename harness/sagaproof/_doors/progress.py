"""How far a campaign is, as one line for somebody who waits."""

from __future__ import annotations

from collections.abc import Callable

from sagaproof._run import real_time
from sagaproof._search.sweep import Progress

__all__ = ["SLOW_S", "Ticker"]

SLOW_S = 5.0
"""After so many seconds of real time a campaign counts as slow."""

_EVERY_S = 0.5


class Ticker:
    """Hands a line to `show` at most twice a second, once `after_s` seconds of real time are over.

    `shown` tells whether it ever did, so that somebody can wipe the line.
    """

    def __init__(
        self,
        show: Callable[[str], None],
        *,
        after_s: float = SLOW_S,
        now: Callable[[], float] = real_time.monotonic,
    ) -> None:
        self._show = show
        self._now = now
        self._began = now()
        self._next = self._began + after_s
        self._size: tuple[int, int, float] = (-1, 0, 0.0)
        self.shown = False

    def __call__(self, progress: Progress) -> None:
        """Take note of how far it is."""
        now = self._now()
        if self._size[0] != progress.k:
            self._size = (progress.k, progress.runs, now)
        if now < self._next:
            return
        self._next = now + _EVERY_S
        self._show(self._line(progress, now))
        self.shown = True

    def _line(self, progress: Progress, now: float) -> str:
        found = "1 finding" if progress.findings == 1 else f"{progress.findings} findings"
        faults = "1 fault" if progress.k == 1 else f"{progress.k} faults"
        return (
            f"{progress.runs} runs, {found}; {progress.left} more with {faults}"
            f"{self._left(progress, now)} ({now - self._began:.0f} s so far)"
        )

    def _left(self, progress: Progress, now: float) -> str:
        _, runs, began = self._size
        made, took = progress.runs - runs, now - began
        if made <= 0 or took <= 0:
            return ""
        return f", about {progress.left * took / made:.0f} s"
