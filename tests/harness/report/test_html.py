"""The page stands alone, holds all of the report, and lets no text of the saga become part of the page."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any, Final

import pytest

from sagaproof import History, Verdict, World
from sagaproof._checks.protocol import Facts, violated
from sagaproof._model.faults import FAULTS
from sagaproof._report.build import build
from sagaproof._report.fault_words import meaning_of
from sagaproof._report.html import as_html
from sagaproof._report.schema import Report
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Expectation, Outcome
from sagaproof._search.settings import Exclusion, Settings

EVIL: Final = "<script>alert(1)</script>\"'&{{ 12345 * 1001 }}"
VOID: Final = {"meta", "br", "hr", "img", "input", "link", "wbr"}


class Page(HTMLParser):
    """Reads a page, and notes the tags, what is open at the end, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        else:
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
    read = Page(page)
    assert not read.open
    assert page.count("<script") == read.tags.count("script") == 1
    assert "alert(1)" not in read.scripts[0]
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


def test_only_the_script_of_the_page_may_run(report: Report) -> None:
    page = as_html(report)
    digest = hashlib.sha256(Page(page).scripts[0].encode()).digest()
    assert f"script-src 'sha256-{base64.b64encode(digest).decode()}'" in page


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


def test_the_head_of_each_column_says_what_the_fault_is(report: Report) -> None:
    titles = {value for name, value in Page(as_html(report)).attributes if name == "title"}
    assert {FAULTS[fault].meaning for fault in report.scenarios[0].grid.faults} <= titles


def test_a_fault_of_another_version_has_no_meaning_here() -> None:
    assert meaning_of("lost") == "applied, timeout"
    assert meaning_of("of-tomorrow") == ""


def test_the_page_links_to_each_of_several_scenarios(report: Report) -> None:
    read = Page(as_html(Report(scenarios=report.scenarios * 3)))
    ids = {value for name, value in read.attributes if name == "id"}
    links = {value for name, value in read.attributes if name == "href"}
    assert {"#s1", "#s2", "#s3"} <= links
    assert links <= {f"#{anchor}" for anchor in ids}


def test_an_anchor_stands_for_one_thing(report: Report) -> None:
    read = Page(as_html(Report(scenarios=report.scenarios * 3)))
    ids = [value for name, value in read.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_an_empty_report_has_a_page() -> None:
    assert "no scenario" in Page(as_html(Report())).text


def test_the_same_report_gives_the_same_page(report: Report) -> None:
    assert as_html(report) == as_html(report.model_copy(deep=True))
