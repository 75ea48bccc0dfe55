"""Where the command line writes: results to standard output, all else to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from rich.console import Console

from sagaproof._doors.progress import Ticker
from sagaproof._report.json_file import as_json
from sagaproof._report.schema import Report

__all__ = ["Output"]

_AFTER_S = 1.0


class Output:
    """The two streams of one command. With `as_json`, standard output gets one object and nothing else.

    `show_all` says that every finding is to be printed in full.
    """

    def __init__(self, *, as_json: bool, show_all: bool = False) -> None:
        self.as_json = as_json
        self.show_all = show_all
        self._stdout = sys.stdout
        self.out = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
        self.err = Console(stderr=True, highlight=False, markup=False, emoji=False)

    def put(self, report: Report) -> None:
        """Put the one object on standard output."""
        self.put_text(as_json(report))

    def put_text(self, text: str) -> None:
        """Put a text there as it is: the one object of a command that makes no report."""
        self._stdout.write(text)
        self._stdout.flush()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """With `as_json`, what is printed inside, by child processes too, goes to standard error."""
        if not self.as_json:
            yield
            return
        self._stdout.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
        try:
            with redirect_stdout(sys.stderr):
                yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)

    @contextmanager
    def ticking(self, name: str) -> Iterator[Ticker | None]:
        """Yield what takes the progress of a scenario; None where nobody watches."""
        if not self.err.is_terminal:
            yield None
            return

        def show(line: str) -> None:
            text = f"{name}: {line}"[: max(20, self.err.width - 1)]
            self.err.file.write(f"\r\x1b[2K{text}")
            self.err.file.flush()

        ticker = Ticker(show, after_s=_AFTER_S)
        try:
            yield ticker
        finally:
            if ticker.shown:
                self.err.file.write("\r\x1b[2K")
                self.err.file.flush()
