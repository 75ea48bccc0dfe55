"""The progress of a slow campaign on the terminal of pytest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
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
    capture: Any = config.pluginmanager.get_plugin("capturemanager")

    def show(line: str) -> None:
        # The test is being run: without this, the line would go to where its output is collected.
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            if not ticker.shown:
                terminal.write("\n")
            terminal.rewrite(line[:width], erase=True)
            if not line:
                terminal.write("\r")
            terminal.flush()

    width = config.get_terminal_writer().fullwidth - 1
    ticker = Ticker(lambda line: show(f"sagaproof: {line}"))
    try:
        yield ticker
    finally:
        if ticker.shown:
            show("")
