"""One way to show what a user of pytest sees: `example({...files}).run(...)`."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

# Nested runs in this process find these loaded, instead of loading them anew each time.
import sagaproof._doors.cli
import sagaproof._doors.pytest_session
import sagaproof._report.whole  # noqa: F401

INI = "[pytest]\nfilterwarnings = error\n"

SHOP = '''
    """A shop over HTTP, and three ways to use it."""
    import httpx
    from sagaproof import Refusal, System, Table, operation

    class Shop(System):
        name = "shop"
        hosts = ("shop.test",)
        orders = Table(gone={"status": ("void",)})

        @operation(cls=4, route="POST /orders", status=201, ref="id", amount="amount")
        def place(self, *, amount: int) -> dict:
            key = self.ids.next("or")
            return self.orders.put(key, {"id": key, "amount": amount, "status": "open"})

        @operation(cls=4, undoes="place", ref="id", route="POST /orders/{id}/void")
        def void(self, *, id: str) -> dict:
            if id not in self.orders:
                raise Refusal(404, "no_such_order", id)
            return self.orders.patch(id, status="void")

        @operation(cls=1, route="GET /orders")
        def list(self) -> dict:
            return {"data": sorted(self.orders.rows)}

    def send(method, path, body=None):
        with httpx.Client(timeout=5) as client:
            answer = client.request(method, f"https://shop.test{path}", json=body)
            answer.raise_for_status()
            return answer.json()

    async def send_async(method, path, body=None):
        async with httpx.AsyncClient(timeout=5) as client:
            answer = await client.request(method, f"https://shop.test{path}", json=body)
            answer.raise_for_status()
            return answer.json()

    def read_only():
        """Nothing to undo: right under every fault."""
        return None if send("GET", "/orders")["data"] == [] else "refused"

    def two_orders():
        """Undoes the first order if the second fails; forgets that its answer may be lost."""
        first = send("POST", "/orders", {"amount": 300})
        try:
            send("POST", "/orders", {"amount": 400})
        except (httpx.HTTPError, ValueError):
            send("POST", f"/orders/{first['id']}/void")
            return "compensated"
'''


@dataclass
class Ran:
    """A finished run of pytest: assertions on it give back the same, so that they can be chained."""

    result: pytest.RunResult
    folder: Path

    def text(self, name: str) -> str:
        """A file of the project, as it is now."""
        return (self.folder / name).read_text(encoding="utf-8")

    @property
    def output(self) -> str:
        return self.result.stdout.str()

    @property
    def errors(self) -> str:
        return self.result.stderr.str()

    def came_to(self, returncode: int | None = None, **outcomes: int) -> Self:
        """The numbers of passed, failed, ... tests, those of none left out; none where no test was run."""
        try:
            found = self.result.parseoutcomes()
        except ValueError:
            found = {}
        assert found == outcomes, self.output + self.errors
        if returncode is not None:
            assert self.result.ret == returncode
        return self

    def shows(self, *patterns: str) -> Self:
        """Patterns of text, for what has counts in it that are not the test's business."""
        for pattern in patterns:
            assert re.search(pattern, self.output), f"{pattern!r} is not in\n{self.output}"
        return self

    def says(self, *texts: str) -> Self:
        for text in texts:
            assert text in self.output + self.errors, f"{text!r} is not in\n{self.output}{self.errors}"
        return self

    def does_not_say(self, *texts: str) -> Self:
        for text in texts:
            assert text not in self.output + self.errors, self.output
        return self


class Example:
    """A project of a user: `shop.py` and what is given. Names without a suffix are Python files."""

    def __init__(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str]
    ) -> None:
        self.pytester = pytester
        self._monkeypatch = monkeypatch
        self.path = pytester.path
        for name, text in {"pytest.ini": INI, "shop": SHOP, **files}.items():
            path = self.path / (name if "." in name else f"{name}.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")

    def run(self, *args: str, apart: bool = False) -> Ran:
        """Run pytest with this plugin alone, or `apart`: in its own process, with all that is installed."""
        if apart:
            self._monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
            result = self.pytester.runpytest_subprocess(*_AMONG_OTHERS, *args)
        else:
            self.pytester.syspathinsert()
            result = self.pytester.runpytest_inprocess(*_ALONE, *args)
        return Ran(result, self.path)

    def command(self, *args: str) -> Ran:
        """Run the command `sagaproof`, in a process of its own."""
        self._monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(_AMONG_OTHERS))
        self._monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
        command = Path(sys.executable).with_name("sagaproof")
        return Ran(self.pytester.run(command, *args), self.path)


_AMONG_OTHERS = ("-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function")
_ALONE = (
    *("-p", "no:cacheprovider", "-p", "_sagaproof_pytest"),
    *("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"),
)


@pytest.fixture
def example(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Mapping[str, str]], Example]:
    for name in ("CI", "BUILD_NUMBER", "GITHUB_STEP_SUMMARY", "PYTEST_ADDOPTS", "SAGAPROOF_CHECK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    # Loading all plugins that are installed would take most of the time of most of these tests.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def make(files: Mapping[str, str]) -> Example:
        return Example(pytester, monkeypatch, files)

    return make
