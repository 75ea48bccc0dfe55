"""What docs/growth.md says on paper is what campaigns count."""

from __future__ import annotations

import pytest
from tests.bench.formula import about, plans
from tests.bench.steps import Shape, settings, subject

from sagaproof._search.explore import explore

SMALL = [
    Shape(1, faults=2, k=3),
    Shape(2, faults=2, k=3),
    Shape(3, faults=4, k=2),
    Shape(3, retries=1, faults=1, k=3),
    Shape(3, retries=2, faults=3, k=2),
    Shape(2, retries=1, faults=1, k=5),
    Shape(2, retries=2, faults=2, k=2, lasting=True),
    Shape(2, faults=1, k=3, lasting=True),
]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SMALL, ids=str)
@pytest.mark.parametrize("reduce", [False, True], ids=["all", "reduced"])
def test_a_campaign_counts_as_many_plans_as_the_formula_and_finds_nothing(shape: Shape, reduce: bool) -> None:
    campaign = explore(subject(shape), settings(shape, reduce=reduce))

    assert not campaign.errors
    assert [(finding.check, str(finding.plan)) for finding in campaign.findings] == []
    levels = [level for level in campaign.levels if level.attempted]
    assert [level.reachable for level in levels] == plans(shape)
    assert all(level.complete for level in levels)


@pytest.mark.parametrize("retries", range(5))
def test_the_short_form_is_exact_up_to_three_faults_or_two_if_they_may_last(retries: int) -> None:
    for steps in range(1, 31):
        for shape in (Shape(steps, retries, k=3), Shape(steps, retries, k=2, lasting=True)):
            assert about(shape) == plans(shape), shape


def test_beyond_that_the_short_form_is_no_longer_exact() -> None:
    for shape in (Shape(2, retries=1, faults=1, k=4), Shape(2, faults=1, k=3, lasting=True)):
        assert about(shape)[:-1] == plans(shape)[:-1]
        assert about(shape)[-1] != plans(shape)[-1]
