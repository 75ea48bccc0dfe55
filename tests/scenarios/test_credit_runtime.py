"""The agent on the runtime: no finding over complete pairs of faults, crashes included; takes minutes."""

from __future__ import annotations

import pytest
from tests.scenarios.expected import require_expected

from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._search.explore import explore


@pytest.mark.slow
def test_it_is_clean_under_any_pair_of_faults() -> None:
    known = scenario("credit-runtime")
    campaign = explore(subject_of_scenario(known), known.settings)
    require_expected(known, campaign)
    assert campaign.findings == []
