"""The clock of a runtime: seconds since the epoch that go on evenly, whoever sets the machine's."""

from __future__ import annotations

import time

__all__ = ["SteadyClock"]


class SteadyClock:
    """Reads the clock of the machine once, and counts from there.

    A clock that is set forward by a day would make keys look forgotten, one that is set back would make them
    look known. Another process reads its own, so that a moment in the journal is as good as the clock was.
    """

    __slots__ = ("_epoch",)

    def __init__(self) -> None:
        self._epoch = time.time() - time.monotonic()

    def __call__(self) -> float:
        """Seconds since the epoch."""
        return self._epoch + time.monotonic()
