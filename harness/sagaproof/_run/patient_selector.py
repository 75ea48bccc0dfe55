"""A selector that asks before it waits."""

from __future__ import annotations

import selectors
from collections.abc import Callable

__all__ = ["Events", "PatientSelector", "Poll"]

Events = list[tuple[selectors.SelectorKey, int]]
Poll = Callable[[float], Events]


class PatientSelector(selectors.DefaultSelector):
    """The platform's selector, but a call that would wait is handed to `idle(timeout, poll)`.

    `poll(seconds)` is the real thing; the events that `idle` returns are those that the loop gets.
    """

    def __init__(self, idle: Callable[[float | None, Poll], Events]) -> None:
        super().__init__()
        self._idle = idle

    def select(self, timeout: float | None = None) -> Events:
        """Events that are there at once; else what `idle` makes of the wait."""
        events = super().select(0)
        if events or (timeout is not None and timeout <= 0):
            return events
        return self._idle(timeout, super().select)
