"""The line about a slow campaign: on a terminal, past the capture of output, and gone at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from sagaproof._doors import progress
from sagaproof._doors.pytest_ticker import ticking
from sagaproof._search.sweep import Progress


class Terminal:
    """What a terminal reporter of pytest offers, with what was written while output was (not) captured."""

    def __init__(self, *, isatty: bool) -> None:
        self.isatty = isatty
        self.captured = True
        self.written: list[tuple[str, bool]] = []

    def rewrite(self, line: str, *, erase: bool) -> None:
        assert erase
        self.write(line)

    def write(self, text: str) -> None:
        self.written.append((text, self.captured))

    def flush(self) -> None: ...

    @contextmanager
    def global_and_fixture_disabled(self) -> Iterator[None]:
        self.captured = False
        yield
        self.captured = True


def config(terminal: Terminal | None) -> Any:
    return SimpleNamespace(
        pluginmanager=SimpleNamespace(get_plugin=lambda _name: terminal),
        get_terminal_writer=lambda: SimpleNamespace(fullwidth=41),
    )


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress.Ticker.__init__, "__kwdefaults__", {"after_s": 0.0, "now": lambda: 1.0})


def test_the_line_is_written_past_the_capture_and_wiped() -> None:
    terminal = Terminal(isatty=True)

    with ticking(config(terminal)) as ticker:
        assert ticker is not None
        ticker(Progress(1, 50, 10, 0))

    assert terminal.written == [
        ("\n", False),
        ("sagaproof: 50 runs, 0 findings; 10 more ", False),
        ("", False),
        ("\r", False),
    ]


@pytest.mark.parametrize("terminal", [None, Terminal(isatty=False)], ids=["a worker", "no terminal"])
def test_where_nobody_watches_nothing_is_written(terminal: Terminal | None) -> None:
    with ticking(config(terminal)) as ticker:
        assert ticker is None
