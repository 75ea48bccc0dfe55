"""The scenarios on the runtime: no finding over complete pairs of faults, killed everywhere."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.scenarios.expected import LARGE, ON_RUNTIME, campaign_of, require_expected

from sagaproof import Scenario
from sagaproof._checks.catalogue import ALL
from sagaproof._doors.registry import scenarios

BUNDLED: Mapping[str, Scenario] = scenarios()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(ON_RUNTIME) - set(LARGE)))
def test_a_scenario_has_the_findings_that_it_is_known_to_have(name: str) -> None:
    require_expected(BUNDLED[name], campaign_of(name))


@pytest.mark.slow
def test_every_check_is_reached_on_the_runtime_and_none_finds_anything() -> None:
    campaigns = [campaign_of(name) for name in ON_RUNTIME]

    assert [finding.says for campaign in campaigns for finding in campaign.findings] == []
    held = {slug for campaign in campaigns for slug, count in campaign.checks.items() if count.held}
    of_the_user = {"user-invariant", "user-assertion"}  # the scenarios have neither
    # The runtime refuses a forward call once the unwind has begun; pauses are made only if asked for.
    not_done = {"no-forward-in-unwind", "one-runner"}
    assert {check.slug for check in ALL} - held == of_the_user | not_done


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_RUNTIME)
def test_the_process_was_killed_everywhere_on_the_runtime(name: str) -> None:
    campaign = campaign_of(name)
    killed = {(where.operation, where.phase) for where, fault in campaign.cells if fault == "crash-before"}
    met = {(where.operation, where.phase) for where, _ in campaign.cells}
    assert killed == met
    assert campaign.excluded.keys() <= {("*", "cancel*")}  # only a saga in a loop can be cancelled
