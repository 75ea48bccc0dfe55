"""Every bundled scenario has just the findings that are kept beside it, over complete pairs of faults."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.scenarios.expected import ON_RUNTIME, campaign_of, require_expected

from sagaproof import Scenario
from sagaproof._doors.registry import scenarios
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings

BUNDLED: Mapping[str, Scenario] = scenarios()

ON_ENGINES = frozenset(name for name, scenario in BUNDLED.items() if scenario.needs)
"""So have those on engines, over single faults: a run of theirs takes a tenth of a second."""


def test_there_are_at_least_twelve_and_each_says_what_it_expects() -> None:
    assert len(BUNDLED) >= 12
    for scenario in BUNDLED.values():
        assert scenario.expected is not None
        assert scenario.expected.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BUNDLED.keys() - ON_ENGINES - set(ON_RUNTIME)))
def test_a_scenario_has_the_findings_that_it_is_known_to_have(name: str) -> None:
    require_expected(BUNDLED[name], campaign_of(name), faults=1 if name == "goodwill-decided" else 2)


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


def test_a_saga_with_nothing_to_undo_is_told_that_it_needs_none() -> None:
    subject = subject_of_scenario(BUNDLED["triage-convergent"])
    notes = explore(subject, Settings(faults=0)).notes
    assert any(note.startswith("advice: All writes are of class 2") for note in notes)
