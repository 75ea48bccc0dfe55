"""What every bundled scenario has to come to: its known findings, over complete pairs of faults."""

from __future__ import annotations

from sagaproof import Scenario
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import compare

__all__ = ["require_expected"]


def require_expected(scenario: Scenario, campaign: Campaign) -> None:
    """Fail unless the campaign is complete and has just the findings that are kept beside the scenario."""
    assert scenario.expected is not None
    expectation = compare(campaign.findings, scenario.expected)
    assert (expectation.missing, expectation.surplus) == ((), ())
    assert campaign.errors == []
    assert campaign.incomplete == []
    attempted = [level for level in campaign.levels if level.attempted]
    assert [level.k for level in attempted] == [0, 1, 2]
    assert all(level.complete for level in attempted)
    assert sum(level.mismatched for level in attempted) <= sum(level.audited for level in attempted) // 20
