"""The page stands alone, holds all of the report, and lets no text of the saga become part of the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any, Final

import pytest

from sagaproof import History, Verdict, World
from sagaproof._checks.protocol import Facts, violated
from sagaproof._report.build import build
from sagaproof._report.html import as_html
from sagaproof._report.schema import Report
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Expectation, Outcome
from sagaproof._search.settings import Exclusion, Settings

EVIL: Final = "<script>alert(1)</script>\"'&{{ 12345 * 1001 }}"
VOID: Final = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """Reads a page, and notes the tags, what is open at the end, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


class EvilCheck:
    slug = f"evil-{EVIL}"

    def applies(self, facts: Facts) -> bool:
        return bool(facts)

    def judge(self, history: History) -> Verdict:
        first = history.calls[0].index
        return violated(f"said {EVIL}", because=f"because {EVIL}", calls=[first])


def evil_saga(world: World) -> object:
    world.shop.add_ticket(EVIL)
    world.direct.shop.set_status(ticket=EVIL, status=EVIL)
    credit: Any = world.direct.shop.issue_credit(customer=EVIL, amount=3, key=EVIL)
    world.direct.shop.send(text=EVIL)
    world.direct.shop.reverse_credit(credit=credit["id"])
    raise RuntimeError(EVIL)


@pytest.fixture(scope="module")
def evil(explored: Any) -> Campaign:
    settings = Settings(faults=1, families=("outage",), exclude=(Exclusion("*.send", "503", EVIL),))
    found: Campaign = explored(evil_saga, name=EVIL, checks=(EvilCheck(),), settings=settings)
    found.notes.append(EVIL)
    found.incomplete.append(EVIL)
    found.errors.append(EVIL)
    return found


def test_no_text_of_the_saga_becomes_part_of_the_page(evil: Campaign) -> None:
    outcome = Outcome(evil, Expectation((EVIL,), (EVIL,)))
    made = build([outcome, outcome], stable=True)
    page = as_html(made.model_copy(update={"problems": (EVIL,)}))
    assert "<script" not in page
    read = Page(page)
    assert not read.open
    assert "script" not in read.tags
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert read.text.count("alert(1)") > 50
    assert str(12345 * 1001) not in read.text


def test_the_page_asks_nothing_of_the_network(report: Report) -> None:
    page = as_html(report)
    read = Page(page)
    links = [value for name, value in read.attributes if name in {"href", "src", "action"}]
    assert all(value is not None and value.startswith("#") for value in links)
    assert not re.search(r"url\(|@import", page)
    assert "default-src 'none'" in page


def test_the_page_reads_in_the_dark(report: Report) -> None:
    assert "prefers-color-scheme: dark" in as_html(report)


def test_the_page_holds_the_whole_report(report: Report) -> None:
    scenario = report.scenarios[0]
    text = Page(as_html(report)).text
    for finding in scenario.findings:
        assert finding.says in text
    for group_plan in {finding.plan for finding in scenario.findings}:
        assert f"sagaproof replay credit-then-mail {group_plan}" in text
    for check in scenario.checks:
        assert check.check in text
    for row in scenario.grid.rows:
        assert row.operation in text
    for glyph in {cell.glyph for row in scenario.grid.rows for cell in row.cells}:
        assert glyph in text


def test_the_page_links_to_each_of_several_scenarios(report: Report) -> None:
    read = Page(as_html(Report(scenarios=report.scenarios * 3)))
    ids = {value for name, value in read.attributes if name == "id"}
    links = {value for name, value in read.attributes if name == "href"}
    assert links == {f"#{anchor}" for anchor in ids} == {"#s1", "#s2", "#s3"}


def test_an_empty_report_has_a_page() -> None:
    assert "no scenario" in Page(as_html(Report())).text


def test_the_same_report_gives_the_same_page(report: Report) -> None:
    assert as_html(report) == as_html(report.model_copy(deep=True))
