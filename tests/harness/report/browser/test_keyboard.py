"""All of the page can be reached and done without a mouse."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.harness.report.browser.conftest import Open


def test_j_and_k_walk_the_findings_and_enter_opens_them(open_page: Open) -> None:
    page = open_page().page
    summaries = page.locator(".card > summary")
    page.keyboard.press("j")
    expect(summaries.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(summaries.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".card").nth(1)).to_have_attribute("open", "")
    page.keyboard.press("k")
    expect(summaries.nth(0)).to_be_focused()


def test_slash_goes_to_the_search_and_escape_ends_it(open_page: Open) -> None:
    opened = open_page()
    before = opened.shown()
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("jet")
    assert opened.page.input_value("#search") == "jet"
    assert opened.shown() == 0
    opened.page.keyboard.press("Escape")
    assert opened.shown() == before


def test_e_opens_and_closes_all(open_page: Open) -> None:
    page = open_page().page
    every = page.locator(".card").count()
    page.keyboard.press("e")
    assert page.locator(".card[open]").count() == every
    page.keyboard.press("e")
    assert page.locator(".card[open]").count() == 0


def test_a_grid_is_one_stop_and_arrows_walk_in_it(open_page: Open) -> None:
    page = open_page().page
    grid = page.locator(".grid").first
    assert grid.locator("[tabindex='0']").count() == 1
    grid.locator("td.cell").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    told = page.locator(".told-of-cell").first
    expect(told).to_contain_text("crm.step_0, forward retry, 500")
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("crm.step_0, forward retry, 503")
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("crm.step_0, forward retry, 503")
    assert grid.locator("[tabindex='0']").count() == 1


def test_enter_on_a_violated_cell_goes_to_the_finding(open_page: Open) -> None:
    page = open_page().page
    cell = page.locator("td.cell.violated[data-findings]").first
    cell.click(position={"x": 1, "y": 1})
    cell.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card summary:focus")).to_be_in_viewport()


def test_question_mark_tells_the_keys(open_page: Open) -> None:
    page = open_page().page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
