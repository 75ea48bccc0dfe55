"""Light, dark, narrow and on paper: the page can be read, and axe finds nothing grave."""

from __future__ import annotations

from typing import Final, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page
from tests.harness.report.browser.conftest import Open, Opened
from tests.harness.report.browser.made import made

SMALL: Final = made(scenarios=1, rows=4, findings=3)


def grave(page: Page) -> list[str]:
    """What axe takes for serious or critical, and where."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


def paper(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: Open, scheme: Literal["light", "dark"]) -> None:
    page = open_page(SMALL, color_scheme=scheme).page
    page.locator("td.cell.excluded").first.click()
    assert grave(page) == []


def test_axe_finds_what_is_wrong(open_page: Open) -> None:
    page = open_page(SMALL).page
    page.evaluate(
        "document.getElementById('search').closest('label').replaceWith(document.createElement('input'))"
    )
    assert [one.partition(":")[0] for one in grave(page)] == ["label"]


def test_the_switch_wins_over_the_system(open_page: Open) -> None:
    page = open_page(color_scheme="dark").page
    dark = paper(page)
    page.click("#theme")
    light = paper(page)
    assert page.inner_text("#theme") == "light"
    page.emulate_media(color_scheme="light")
    page.keyboard.press("t")
    assert (page.inner_text("#theme"), paper(page)) == ("dark", dark)
    page.reload()
    assert paper(page) == dark
    page.keyboard.press("t")
    assert (page.inner_text("#theme"), paper(page)) == ("auto", light)


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_hangs_over_the_edge(open_page: Open, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 800}).page
    page.keyboard.press("e")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def parts(opened: Opened) -> list[str]:
    """One text of each part of each finding that can be seen."""
    found = opened.texts(".argument dd, .copy, .lanes .did, .world td, .grid th.for")
    return [" ".join(text.split()) for text in found]


def test_paper_has_all_that_is_on_the_page(open_page: Open) -> None:
    opened = open_page(SMALL)
    page = opened.page
    every = parts(opened)
    page.locator(".card > summary").first.click()
    page.fill("#search", "cr_1_1 ")
    assert 0 < len(parts(opened)) < len(every)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert parts(opened) == every
    assert len(every) > 100
    assert opened.texts(".finder, .tools, .copier") == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".card[open]").count() == 2


def test_without_script_all_can_be_read(open_page: Open) -> None:
    opened = open_page(java_script_enabled=False)
    assert opened.texts(".finder, .tools, .copier") == []
    assert len(opened.texts(".card summary")) == opened.shown() > 5
    opened.page.locator(".card summary").last.click()
    assert opened.page.locator(".card").last.locator(".lanes").is_visible()
