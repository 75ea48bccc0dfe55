"""A page of docs/ as something that runs: its files are written, its commands called, its output compared."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

# Nested runs in this process find these loaded, instead of loading them anew each time.
import sagaproof._doors.cli
import sagaproof._doors.pytest_session
import sagaproof._report.whole  # noqa: F401

REPO = Path(__file__).parents[2]
INI = "[pytest]\nfilterwarnings = error\n"
WIDTH = 100
WRITE = "SAGAPROOF_DOCS=write ./dev test tests/docs"

_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"# (?P<name>[\w./]+\.\w+)\n")
_ALONE = (
    *("-p", "no:cacheprovider", "-p", "_sagaproof_pytest"),
    *("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"),
)


class Block(NamedTuple):
    """A fenced block; `name` is the file that its first line names, if it is one."""

    language: str
    text: str

    @property
    def name(self) -> str:
        match = _NAMED.match(self.text)
        return "" if match is None else match["name"]


class Page:
    """A page by its path in the repository."""

    def __init__(self, path: str) -> None:
        self.path = REPO / path
        self.text = self.path.read_text(encoding="utf-8")
        self.blocks = [Block(match["language"], match["text"]) for match in _BLOCK.finditer(self.text)]

    def of(self, language: str) -> list[Block]:
        return [block for block in self.blocks if block.language == language]


class Walk:
    """A reader at work: writes each file that a page shows and calls each command, in the page's order."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.commands = 0
        self._writes = os.environ.get("SAGAPROOF_DOCS") == "write"
        (pytester.path / "pytest.ini").write_text(INI, encoding="utf-8")

    def take(self, page: Page) -> None:
        """Do all that the page shows. With SAGAPROOF_DOCS=write, numbers that are others now are put in."""
        text = page.text
        for block in page.blocks:
            if block.name:
                path = self.pytester.path / block.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.language == "console":
                text = text.replace(block.text, self._call_all(block.text))
        if text != page.text:
            page.path.write_text(text, encoding="utf-8")

    def _call_all(self, text: str) -> str:
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            name, *args = shlex.split(command, comments=True)
            if name == "pytest":
                self.commands += 1
                text = text.replace(shown, self.check(shown, self.pytest(*args), command))
        return text

    def pytest(self, *args: str) -> str:
        """Run pytest in this process, with this plugin alone."""
        self.pytester.syspathinsert()
        result = self.pytester.runpytest_inprocess(*_ALONE, *args)
        return f"{result.stdout}\n{result.stderr}\n"

    def check(self, shown: str, real: str, command: str = "") -> str:
        """The shown lines follow each other in the real ones; `...` stands for what was left out."""
        stripped = "\n".join(line.rstrip() for line in real.split("\n"))
        if re.search(_pattern(shown), stripped, flags=re.MULTILINE) is not None:
            return shown
        loose = re.search(_pattern(shown, numbers=r"\d+"), stripped, flags=re.MULTILINE)
        if loose is None or not self._writes:
            pytest.fail(
                f"$ {command}\nis shown to print\n\n{shown}\nbut prints\n\n{stripped}\n"
                f"If only numbers have changed: {WRITE}",
                pytrace=False,
            )
        numbers = iter(group for group in loose.groups() if group is not None)
        return re.sub(r"\d+", lambda _: next(numbers), shown)


def _pattern(shown: str, *, numbers: str = "") -> str:
    """What output has to match; `numbers` is what may stand for any number in it, as a group."""
    pieces = [re.escape(line.rstrip()).replace(r"\.\.\.", ".*") for line in shown.strip("\n").split("\n")]
    if numbers:
        pieces = [re.sub(r"\d+", lambda _: f"({numbers})", piece) for piece in pieces]
    return "^" + "\n".join(r"(?:.*\n)*?.*" if piece == ".*" else piece for piece in pieces) + "$"


@pytest.fixture
def page() -> Callable[[str], Page]:
    return Page


@pytest.fixture
def walk(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Walk:
    for name in ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS", "SAGAPROOF_CHECK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    # A file that is replaced within a second by one of the same length would be taken for the old one.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Walk(pytester)


@pytest.fixture(scope="session")
def generate() -> dict[str, Any]:
    """The names of the script that fills in the generated parts of pages."""
    return runpy.run_path(str(Path(__file__).with_name("generate.py")))
