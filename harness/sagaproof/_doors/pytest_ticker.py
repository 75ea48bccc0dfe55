"""The progress of a slow campaign on the terminal of pytest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sagaproof._doors.progress import Ticker

__all__ = ["ticking"]


@contextmanager
def ticking(config: pytest.Config) -> Iterator[Ticker | None]:
    """Yield what takes the progress; None where nobody watches. The line is wiped at the end."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or not terminal.isatty:
        yield None
        return

    def show(line: str) -> None:
        if not ticker.shown:
            terminal.ensure_newline()
        terminal.rewrite(f"sagaproof: {line}", erase=True)

    ticker = Ticker(show)
    try:
        yield ticker
    finally:
        if ticker.shown:
            terminal.rewrite("", erase=True)
