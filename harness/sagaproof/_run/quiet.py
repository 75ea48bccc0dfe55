"""Keeps what the saga prints and logs out of the way: a campaign would repeat it a thousand times."""

from __future__ import annotations

import io
import logging
import sys
from typing import Any, TextIO

__all__ = ["Quiet"]


class _Sink(io.TextIOBase):
    """Takes any text and keeps none of it."""

    def write(self, text: str, /) -> int:
        return len(text)

    def writable(self) -> bool:
        return True


class Quiet:
    """Between `begin` and `end`, standard output and error of this process lead nowhere.

    Log records reach the handlers that the user has set up; pytest's own collectors, and the last resort that
    prints to standard error, are set aside. With `aloud` set, it does nothing: a replay shows all.
    """

    def __init__(self) -> None:
        self.aloud = False
        self._sink: Any = _Sink()
        self._streams: tuple[TextIO, TextIO] | None = None
        self._handlers: list[logging.Handler] = []
        self._last_resort: logging.Handler | None = None

    def begin(self) -> None:
        """A run begins."""
        if self.aloud:
            return
        self._streams = (sys.stdout, sys.stderr)
        sys.stdout = sys.stderr = self._sink
        root = logging.getLogger()
        self._handlers = [h for h in root.handlers if type(h).__module__ == "_pytest.logging"]
        for handler in self._handlers:
            root.removeHandler(handler)
        self._last_resort, logging.lastResort = logging.lastResort, None

    def end(self) -> None:
        """The run is over; a second call does nothing."""
        if self._streams is None:
            return
        sys.stdout, sys.stderr = self._streams
        self._streams = None
        for handler in self._handlers:
            logging.getLogger().addHandler(handler)
        logging.lastResort = self._last_resort
