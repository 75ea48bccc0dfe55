"""A page in Chromium, opened from a file, with all that it asked for and complained of written down."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.harness.report.browser.made import made

from sagaproof._report.html import as_html
from sagaproof._report.schema import Report

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")


class Opened:
    """A page that was opened, what it asked for beside its own file, and what it complained of."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.path = path
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(path.as_uri())

    def texts(self, selector: str) -> list[str]:
        """What stands in those elements that can be seen."""
        found: list[str] = self.page.locator(selector).evaluate_all(
            "some => some.filter((one) => one.checkVisibility()).map((one) => one.innerText)"
        )
        return found

    def shown(self) -> int:
        """How many cards can be seen."""
        return self.page.locator(".card:visible").count()


Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; Playwright has its event loop in this thread, so it ends with the tests of a file."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("needs chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--disable-dev-shm-usage"],
            env={name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
        )
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """A function that writes the page of a report and opens it; at the end, nothing went wrong on any."""
    pages: list[Opened] = []

    def opens(report: Report | None = None, **settings: Any) -> Opened:
        path = tmp_path / f"report{len(pages)}.html"
        path.write_text(as_html(report or made()), encoding="utf-8")
        context = browser.new_context(**settings)
        opened = Opened(context.new_page(), path)
        pages.append(opened)
        return opened

    yield opens
    for opened in pages:
        opened.page.context.close()
        assert opened.complaints == []
        assert {url.partition("#")[0] for url in opened.asked} == {opened.path.as_uri()}
