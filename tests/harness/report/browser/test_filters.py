"""Search and filters leave what fits, say how many that are, and give all back."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.harness.report.browser.conftest import Open
from tests.harness.report.browser.made import made

from sagaproof._report.schema import FindingPart


def cards(wanted: str, **fields: str) -> int:
    """How many runs of the report have a finding like that."""
    found: set[tuple[str, str]] = set()
    for scenario in made().scenarios:
        for one in scenario.findings:
            if all(getattr(one, name) == value for name, value in fields.items()) and wanted in _text(one):
                found.add((scenario.name, one.plan))
    return len(found)


def _text(finding: FindingPart) -> str:
    return f"{finding.says} {finding.because} {finding.plan}"


def test_a_check_leaves_its_findings(open_page: Open) -> None:
    opened = open_page()
    assert opened.shown() == cards("")
    opened.page.select_option("select[data-key=checks]", "rest-is-rest")
    assert 0 < opened.shown() == cards("", check="rest-is-rest") < cards("")


def test_filters_and_search_narrow_together(open_page: Open) -> None:
    opened = open_page()
    opened.page.select_option("select[data-key=claim]", "completed")
    opened.page.fill("#search", "SUPPORT.py:89")
    assert 0 < opened.shown() == cards("support.py:89", claim="completed")
    expect(opened.page.locator("#shown")).to_have_text(f"{opened.shown()} of {cards('')} cards")
    opened.page.click("#clear")
    assert opened.shown() == cards("")
    assert opened.page.input_value("#search") == ""


def test_search_finds_steps_of_the_grid(open_page: Open) -> None:
    opened = open_page()
    opened.page.fill("#search", "billing.step_1")
    assert set(opened.texts(".grid th[scope=rowgroup]")) == {"billing.step_1"}


def test_search_for_nothing_that_is_there_says_so(open_page: Open) -> None:
    opened = open_page()
    opened.page.fill("#search", "no such thing")
    assert opened.shown() == 0
    expect(opened.page.locator("#shown")).to_have_text(f"0 of {cards('')} cards")


def test_a_state_of_cells_stands_out(open_page: Open) -> None:
    page = open_page().page
    page.locator(".state[data-state=pruned]").first.click()
    clear = page.locator(".grid").first.locator("td.cell:not(.faint)")
    states = {one.get_attribute("class") for one in clear.all()}
    assert {(state or "").split()[1] for state in states} == {"pruned"}
    page.locator(".state[data-state=pruned]").first.click()
    assert page.locator("td.faint").count() == 0


def test_a_link_to_a_finding_that_is_filtered_out_brings_it_back(open_page: Open) -> None:
    opened = open_page()
    opened.page.fill("#search", "no such thing")
    opened.page.locator(".worst a").first.click()
    expect(opened.page.locator(".card:focus-within")).to_be_visible()
    assert opened.shown() == cards("")
