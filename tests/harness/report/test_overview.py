"""What a report adds up to, each figure with its denominator, and what to read first."""

from __future__ import annotations

from tests.harness.report.browser.made import made

from sagaproof._report.card_view import anchors, cards, worst
from sagaproof._report.overview import overview, verdict
from sagaproof._report.schema import Report, ScenarioPart

REPORT = made(scenarios=2, findings=6)
SCENARIO = REPORT.scenarios[0]


def known(scenario: ScenarioPart) -> ScenarioPart:
    findings = tuple(one.model_copy(update={"known": "TICKET-1"}) for one in scenario.findings)
    return scenario.model_copy(update={"findings": findings})


def test_plans_and_cells_are_those_of_all_scenarios() -> None:
    found = overview(REPORT)
    assert found.plans.reachable == found.plans.run + found.plans.pruned + found.plans.skipped == 3402
    assert found.plans.faults == 2
    assert not found.plans.least
    assert found.cells["covered"] == 2 * SCENARIO.cells.covered
    assert found.cells["coverable"] == 2 * SCENARIO.cells.coverable
    assert found.findings == found.counting == 12


def test_what_was_not_attempted_is_in_no_sum() -> None:
    row = SCENARIO.tally[2].model_copy(update={"k": 3, "attempted": False, "bound": "lower"})
    more = SCENARIO.model_copy(update={"tally": (*SCENARIO.tally, row)})
    assert overview(Report(scenarios=(more,))).plans == overview(Report(scenarios=(SCENARIO,))).plans


def test_a_bound_from_below_makes_the_sum_one() -> None:
    row = SCENARIO.tally[2].model_copy(update={"bound": "lower"})
    more = SCENARIO.model_copy(update={"tally": (*SCENARIO.tally, row)})
    assert overview(Report(scenarios=(more,))).plans.least


def test_steps_are_ranked_by_the_smallest_failing_plans_that_they_are_in() -> None:
    weak = overview(REPORT).weak
    plans = {(one.name, finding.plan) for one in REPORT.scenarios for finding in one.findings}
    for step in weak:
        assert step.of == len(plans)
        assert step.plans == sum(f"{step.operation}." in plan for _, plan in plans)
    assert [step.plans for step in weak] == sorted((step.plans for step in weak), reverse=True)


def test_findings_that_are_known_count_only_where_no_other_does() -> None:
    both = Report(scenarios=(known(SCENARIO), REPORT.scenarios[1]))
    assert overview(both).counting == 6
    assert overview(both).weak == overview(Report(scenarios=REPORT.scenarios[1:])).weak
    alone = Report(scenarios=(known(SCENARIO),))
    assert verdict(alone.scenarios[0]) == "known findings"
    assert overview(alone).weak


def test_what_is_new_with_few_faults_comes_first_and_each_check_before_any_comes_twice() -> None:
    scenarios = (known(SCENARIO), REPORT.scenarios[1])
    found = [card for one in zip(scenarios, anchors(scenarios), strict=True) for card in cards(*one)]
    first = worst(found)
    assert first[0].standing == "new"
    new = [card for card in first if card.standing == "new"]
    assert first[: len(new)] == new
    assert len(first[0].lead.faults) == min(len(card.lead.faults) for card in found)
    checks = [card.lead.check for card in new]
    assert len(set(checks)) == len(checks)
