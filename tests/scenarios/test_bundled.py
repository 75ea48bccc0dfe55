"""Every bundled scenario has just the findings that are kept beside it, over complete pairs of faults."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sagaproof import Scenario
from sagaproof._doors.registry import scenarios
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import compare
from sagaproof._search.explore import explore

BUNDLED: Mapping[str, Scenario] = scenarios()


def campaign_of(scenario: Scenario) -> Campaign:
    return explore(subject_of_scenario(scenario), scenario.settings)


def test_there_are_at_least_seven_and_each_says_what_it_expects() -> None:
    assert len(BUNDLED) >= 7
    for scenario in BUNDLED.values():
        assert scenario.expected is not None
        assert scenario.expected.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BUNDLED))
def test_a_scenario_has_the_findings_that_it_is_known_to_have(name: str) -> None:
    scenario = BUNDLED[name]
    campaign = campaign_of(scenario)

    assert scenario.expected is not None
    expectation = compare(campaign.findings, scenario.expected)
    assert (expectation.missing, expectation.surplus) == ((), ())
    assert campaign.errors == []
    assert campaign.incomplete == []
    attempted = [level for level in campaign.levels if level.attempted]
    assert [level.k for level in attempted] == [0, 1, 2]
    assert all(level.complete for level in attempted)


@pytest.mark.slow
def test_the_saga_made_right_by_hand_is_clean_and_its_checks_were_reached() -> None:
    campaign = campaign_of(BUNDLED["order-by-hand"])

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
