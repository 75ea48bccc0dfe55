"""Every bundled scenario has just the findings that are kept beside it, over complete pairs of faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest
from tests.scenarios.expected import require_expected

from sagaproof import Scenario
from sagaproof._checks.catalogue import ALL
from sagaproof._doors.registry import scenarios
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings

BUNDLED: Mapping[str, Scenario] = scenarios()


LARGE = ("credit-runtime", "goodwill-parallel")
"""Those that take minutes have files of their own."""

ON_RUNTIME = (*LARGE, "order-runtime", "reply-runtime", "triage-convergent")


@cache
def campaign_of(name: str) -> Campaign:
    """A campaign over complete pairs, of the large ones over single faults, kept for the next test."""
    scenario = BUNDLED[name]
    settings = replace(scenario.settings, faults=1) if name in LARGE else scenario.settings
    return explore(subject_of_scenario(scenario), settings)


def test_there_are_at_least_twelve_and_each_says_what_it_expects() -> None:
    assert len(BUNDLED) >= 12
    for scenario in BUNDLED.values():
        assert scenario.expected is not None
        assert scenario.expected.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BUNDLED.keys() - set(LARGE)))
def test_a_scenario_has_the_findings_that_it_is_known_to_have(name: str) -> None:
    require_expected(BUNDLED[name], campaign_of(name))


@pytest.mark.slow
def test_the_saga_made_right_by_hand_is_clean_and_its_checks_were_reached() -> None:
    campaign = campaign_of("order-by-hand")

    assert campaign.findings == []
    held = {slug for slug, count in campaign.checks.items() if count.held}
    assert held >= {
        "completed-is-complete",
        "compensated-is-clean",
        "no-silent-residue",
        "no-silent-undo-failure",
        "late-effect-fenced",
        "empty-undo-succeeds",
        "one-key-per-intent",
        "undo-twice-is-once",
        "no-unwind-past-pivot",
        "reverse-order",
    }


@pytest.mark.slow
def test_every_check_is_reached_on_the_runtime_and_none_finds_anything() -> None:
    campaigns = [campaign_of(name) for name in ON_RUNTIME]

    assert [finding.says for campaign in campaigns for finding in campaign.findings] == []
    held = {slug for campaign in campaigns for slug, count in campaign.checks.items() if count.held}
    of_the_user = {"user-invariant", "user-assertion"}  # the scenarios have neither
    not_done = {"no-forward-in-unwind"}  # the runtime refuses a forward call once the unwind has begun
    assert {check.slug for check in ALL} - held == of_the_user | not_done


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_RUNTIME)
def test_the_process_was_killed_everywhere_on_the_runtime(name: str) -> None:
    campaign = campaign_of(name)
    killed = {(where.operation, where.phase) for where, fault in campaign.cells if fault == "crash-before"}
    met = {(where.operation, where.phase) for where, _ in campaign.cells}
    assert killed == met
    assert campaign.excluded.keys() <= {("*", "cancel*")}  # only a saga in a loop can be cancelled


def test_a_saga_with_nothing_to_undo_is_told_that_it_needs_none() -> None:
    subject = subject_of_scenario(BUNDLED["triage-convergent"])
    notes = explore(subject, Settings(faults=0)).notes
    assert any(note.startswith("advice: All writes are of class 2") for note in notes)
