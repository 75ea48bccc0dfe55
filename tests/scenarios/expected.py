"""What every bundled scenario has to come to: its known findings, over complete pairs of faults."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import Final

from sagaproof import Scenario
from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import compare
from sagaproof._search.explore import explore

__all__ = ["LARGE", "ON_RUNTIME", "WHOLE", "campaign_of", "require_clean_in_pairs", "require_expected"]

LARGE: Final = ("credit-runtime", "goodwill-parallel", "order-runtime", "triage-convergent")
"""Those with too many pairs to ask for all of them by themselves; they have files of their own."""

ON_RUNTIME: Final = (*LARGE, "reply-runtime")

WHOLE: Final = "SAGAPROOF_WHOLE"
"""With this variable set, the large scenarios are explored over all pairs of faults."""

_RUNS: Final = 6_000


@cache
def campaign_of(name: str) -> Campaign:
    """The campaign that a scenario asks for, of a large one its single faults; kept for other tests."""
    found = scenario(name)
    settings = replace(found.settings, faults=1) if name in LARGE else found.settings
    return explore(subject_of_scenario(found), settings)


def _explored_in_pairs(large: Scenario) -> Campaign:
    """Pairs of faults of a scenario that has very many: all of them, or those that come first.

    Without `SAGAPROOF_WHOLE` the budget takes those that are most likely to find something; single faults are
    complete anyhow.
    """
    runs = 10**6 if os.environ.get(WHOLE) else _RUNS
    return explore(subject_of_scenario(large), replace(large.settings, faults=2, runs_max=runs))


def require_clean_in_pairs(name: str) -> None:
    """Fail unless a large scenario is clean under its pairs, as many as are asked for."""
    known = scenario(name)
    campaign = _explored_in_pairs(known)
    assert [(finding.check, str(finding.plan)) for finding in campaign.findings] == []
    assert campaign.errors == []
    assert [level.complete for level in campaign.levels[:2]] == [True, True]
    assert campaign.levels[2].run > 3_000
    if os.environ.get(WHOLE):
        require_expected(known, campaign)


def require_expected(known: Scenario, campaign: Campaign, *, faults: int = 2) -> None:
    """Fail unless the campaign is complete and has just the findings that are kept beside the scenario."""
    assert known.expected is not None
    expectation = compare(campaign.findings, known.expected)
    assert (expectation.missing, expectation.surplus) == ((), ())
    assert campaign.errors == []
    assert campaign.incomplete == []
    attempted = [level for level in campaign.levels if level.attempted]
    assert [level.k for level in attempted] == list(range(1 + faults))
    assert all(level.complete for level in attempted)
    assert sum(level.mismatched for level in attempted) <= sum(level.audited for level in attempted) // 20
