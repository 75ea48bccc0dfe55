"""Each check has a page; its two tests run: the bug is found by that check, and the fix is clean."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.snapshot import FOLDER, require_kept

import sagaproof
from sagaproof import SagaproofError
from sagaproof._checks import catalogue
from sagaproof._doors.campaigns import run
from sagaproof._doors.cli_explain import page_of
from sagaproof._doors.exploration import exploration_of
from sagaproof._doors.options import FileOptions, settings_of
from sagaproof._doors.subjects import subject_of_test, systems_of_test
from sagaproof._report.build import build_scenario
from sagaproof._report.card import card
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.expected import Outcome
from sagaproof._taps.handle import WorldHandle

PAGES = "harness/sagaproof/_explain"
SLUGS = [check.slug for check in catalogue.ALL]
HEADINGS = ["Meaning", "The bug", "The fix", "When to turn it off"]
LINES_MAX = 85
NEVER_HOLDS = {"user-assertion"}
"""An assertion that did not fail is not seen."""


def campaign_of(code: str) -> Campaign:
    """Explore the one test in a block."""
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(code, "page.py", "exec"), names)
    (exploration,) = filter(None, map(exploration_of, names.values()))
    options = FileOptions()
    world = WorldHandle(systems_of_test(exploration, options))
    subject = subject_of_test(exploration, exploration.name, {}, world, options)
    try:
        return run(subject, settings_of([exploration.options]), world=world)
    finally:
        world.close()


@pytest.mark.parametrize("slug", SLUGS)
def test_a_page_says_what_how_to_fix_and_when_not_in_a_bug_and_a_fix(
    page: Callable[[str], Any], slug: str
) -> None:
    found = page(f"{PAGES}/{slug}.md")
    assert re.findall(r"^## (.+)$", found.text, re.MULTILINE) == HEADINGS
    assert len(found.of("python")) == 2
    assert found.text.index("## The bug") < found.text.index("```python") < found.text.index("## The fix")
    assert len(found.text.splitlines()) <= LINES_MAX
    assert found.text.startswith("## Meaning\n\n")
    assert found.text.endswith("\n")


def test_no_page_is_left_of_a_check_that_is_gone(page: Callable[[str], Any]) -> None:
    handwritten = page("README.md").path.parent / PAGES
    made = page("docs/checks.md").path.parent / "checks"
    assert {path.stem for path in handwritten.iterdir()} == set(SLUGS)
    assert {path.stem for path in made.iterdir()} == set(SLUGS)
    assert {path.stem for path in (FOLDER / "findings").iterdir()} == set(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_bug_of_a_page_is_found_by_its_check_and_told_in_the_words_that_are_kept(
    page: Callable[[str], Any], slug: str
) -> None:
    bug, _ = page(f"{PAGES}/{slug}.md").of("python")
    campaign = campaign_of(bug.text)
    assert not campaign.errors
    found = build_scenario(Outcome(campaign), stable=True).findings
    shown = next(finding for finding in found if finding.check == slug)
    require_kept(f"findings/{slug}", "\n".join(card(shown, width=80)))


@pytest.mark.parametrize("slug", SLUGS)
def test_the_fix_of_a_page_is_clean_and_was_put_to_the_test(page: Callable[[str], Any], slug: str) -> None:
    _, fix = page(f"{PAGES}/{slug}.md").of("python")
    campaign = campaign_of(fix.text)
    assert campaign.status is Status.CLEAN, [*campaign.errors, *campaign.incomplete, *campaign.findings]
    assert slug in NEVER_HOLDS or campaign.checks[slug].held > 0
    assert campaign.runs > 1


@pytest.mark.parametrize("slug", SLUGS)
def test_the_index_links_each_page(page: Callable[[str], Any], slug: str) -> None:
    assert f"[`{slug}`](checks/{slug}.md)" in page("docs/checks.md").text


def test_the_head_of_a_page_is_made_from_the_code() -> None:
    text = page_of("desk-failure-survives")
    assert text.startswith("# desk-failure-survives\n\n**If the desk cannot be reached at first, ")
    assert "- Applies to sagas that ever tell a person.\n" in text
    assert "- It takes up to 3 faults in one run to reach it" in text
    assert "- Definition: O31.\n" in text
    assert '`@explore(skip_checks={"desk-failure-survives": ' in text
    assert "- Planted bugs that it is meant to see: " in page_of("applied-once")


def test_pages_are_part_of_the_package() -> None:
    folder = page_folder()
    assert all((folder / f"{slug}.md").is_file() for slug in SLUGS)


def page_folder() -> Any:
    from importlib.resources import files  # noqa: PLC0415

    return files(sagaproof) / "_explain"


def test_an_unknown_slug_gets_the_nearest_one() -> None:
    with pytest.raises(SagaproofError, match="Did you mean 'applied-once'"):
        page_of("aplied-once")
