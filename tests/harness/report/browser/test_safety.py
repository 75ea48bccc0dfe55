"""No text of a saga or a world becomes part of the page, whatever is in it; it is read as it stands."""

from __future__ import annotations

from typing import Final

import pytest
from tests.harness.report.browser.conftest import Open
from tests.harness.report.browser.made import made
from tests.harness.report.browser.poison import poisoned

from sagaproof._report.schema import Report

POISON: Final = (
    "</script></style></title></textarea><script>window.stung = 1</script>"
    "<img src=x onerror='window.stung = 1'>"
    "\"' onclick=alert(1) `{{ 7 * 7 }}` {% raw %} &lt; \u2028\u2029 ]]> --> javascript:alert(1) \\u0027"
)


@pytest.fixture(scope="module")
def poisonous() -> Report:
    return poisoned(made(scenarios=2, rows=8, findings=4), POISON)


def test_nothing_of_it_runs_and_nothing_is_asked_for(open_page: Open, poisonous: Report) -> None:
    page = open_page(poisonous).page
    page.keyboard.press("e")
    assert page.evaluate("typeof window.stung") == "undefined"
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, embed, [onclick], [onerror]").count() == 0
    links = page.evaluate("[...document.querySelectorAll('[href]')].map((a) => a.getAttribute('href'))")
    assert all(link.startswith("#") for link in links)


def test_it_is_read_as_it_stands(open_page: Open, poisonous: Report) -> None:
    page = open_page(poisonous).page
    finding = poisonous.scenarios[0].findings[0]
    text = page.evaluate("document.body.textContent")
    for field in (finding.says, finding.because, finding.check, finding.replay, finding.snippet):
        assert field in text
    assert text.count("window.stung = 1") > 500


def test_it_is_filtered_and_told_of_all_the_same(open_page: Open, poisonous: Report) -> None:
    opened = open_page(poisonous)
    every = opened.shown()
    opened.page.select_option("select[data-key=scenario]", poisonous.scenarios[1].name)
    assert opened.shown() * 2 == every
    opened.page.locator("td.cell.excluded").first.click()
    told = opened.page.locator(".told-of-cell").first
    assert POISON.replace("\u2028\u2029", "")[:60] in told.evaluate("e => e.textContent")
    assert told.locator("*").evaluate_all("some => some.map((one) => one.tagName)") == ["B"]
