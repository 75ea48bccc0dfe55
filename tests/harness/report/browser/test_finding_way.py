"""A reader comes from the overview to each finding, from a cell to what was found there, and back."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.harness.report.browser.conftest import Open


def test_each_link_leads_to_something_on_the_page(open_page: Open) -> None:
    page = open_page().page
    dead = page.evaluate(
        """() => [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))
        .filter((href) => !href.startsWith("#") || !document.getElementById(href.slice(1)))"""
    )
    assert dead == []


def test_one_of_the_worst_findings_opens_its_card(open_page: Open) -> None:
    page = open_page().page
    link = page.locator(".worst a").last
    target = page.locator(f"[id='{(link.get_attribute('href') or '')[1:]}']")
    link.click()
    expect(target).to_have_attribute("open", "")
    expect(target.locator("summary")).to_be_in_viewport()
    expect(target.locator("summary")).to_be_focused()


def test_a_violated_cell_leads_to_its_finding(open_page: Open) -> None:
    page = open_page().page
    cell = page.locator("td.cell.violated[data-findings]").first
    anchor = (cell.get_attribute("data-findings") or "").split()[0]
    cell.locator("a").click()
    assert page.evaluate("location.hash") == f"#{anchor}"
    expect(page.locator(f"[id='{anchor}']")).to_be_visible()


def test_a_pruned_cell_leads_to_the_one_that_was_run_in_its_stead(open_page: Open) -> None:
    page = open_page().page
    cell = page.locator("td.cell.pruned[data-instead]").first
    cell.locator("a").click()
    target = page.locator(f"[id='{cell.get_attribute('data-instead')}']")
    expect(target).to_be_focused()
    assert "inert" in (target.get_attribute("class") or "")


def test_a_cell_says_what_was_counted_of_it(open_page: Open) -> None:
    page = open_page().page
    page.locator("td.cell.excluded").first.click()
    told = page.locator(".told-of-cell").first
    expect(told).to_contain_text("crm.step_0, forward, ")
    expect(told).to_contain_text("excluded: as the user said")


def test_a_finding_has_all_its_parts(open_page: Open) -> None:
    opened = open_page()
    page = opened.page
    card = page.locator(".card[open]").first
    heads = card.locator("h4").all_inner_texts()
    assert [head.partition(":")[0] for head in heads] == [
        "What happened, system by system",
        "Still standing",
        "What the saga told",
        "Passing twin",
        "The world at the end",
        "See it again",
        "Keep it as a test",
    ]
    terms = [term for term in card.locator(".argument dt").all_inner_texts() if term]
    assert terms[:4] == ["claim", "but", "because", "contradicts"]
    lanes = card.locator(".lanes th.lane").all_inner_texts()
    assert sorted(lanes) == ["billing", "crm", "desk", "ledger", "mail"]
    apart = card.locator(".lanes tr.apart")
    assert apart.locator("td.num").inner_text() == "4"
    assert "first difference" in apart.inner_text()
    assert card.locator("mark").all_inner_texts() == ["503; not", "ok;"]


def test_what_happened_stands_in_the_lane_of_its_system(open_page: Open) -> None:
    page = open_page().page
    table = page.locator(".card[open] .lanes").first
    systems = table.locator("thead th").all_inner_texts()
    for row in table.locator("tbody tr.call").all():
        cells = row.locator("td").all_inner_texts()
        (filled,) = (n for n, system in enumerate(systems) if 3 <= n < len(systems) - 1 and cells[n])
        assert cells[1].startswith(f"{systems[filled]}.")


def test_an_effect_that_the_saga_was_not_told_of_is_marked(open_page: Open) -> None:
    page = open_page().page
    marked = page.locator(".card[open] .lanes").first.locator(".did.gap")
    assert marked.count() == 1
    assert "the saga was not told" in marked.inner_text()


def test_what_to_copy_is_copied_as_it_stands(open_page: Open) -> None:
    opened = open_page(permissions=["clipboard-read", "clipboard-write"])
    page = opened.page
    page.locator(".copier").nth(1).click()
    expect(page.locator(".copier").nth(1)).to_have_text("copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("def test_story_1_")
