"""A report holds what was found and counted, whole, and nothing that moves from run to run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sagaproof import Claim, History, Verdict, World
from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._checks.protocol import HELD, Facts, violated
from sagaproof._report.build import build
from sagaproof._report.schema import Report, ScenarioPart
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Expectation, Outcome
from sagaproof._search.settings import Settings

Explored = Callable[..., Campaign]


class Raises:
    """Violated by each run that raises."""

    slug = "never-raises"

    def applies(self, facts: Facts) -> bool:
        return bool(facts)

    def judge(self, history: History) -> Verdict:
        return violated("raised", calls=[0]) if history.claim is Claim.RAISED else HELD


@pytest.fixture
def scenario(report: Report) -> ScenarioPart:
    return report.scenarios[0]


def test_the_figures_are_those_of_the_campaign(scenario: ScenarioPart, campaign: Campaign) -> None:
    assert scenario.runs == campaign.runs == sum(row.run for row in scenario.tally)
    assert len(scenario.findings) == len(campaign.findings) > 0
    assert [f.plans for f in scenario.findings] == [f.plans for f in campaign.findings]
    for row in scenario.tally:
        assert row.reachable == row.run + row.pruned + row.skipped
    for check in scenario.checks:
        assert check.held + check.violated + check.not_reached == scenario.runs


def test_each_cell_stands_under_its_fault(scenario: ScenarioPart) -> None:
    assert scenario.grid.rows
    for row in scenario.grid.rows:
        assert len(row.cells) == len(scenario.grid.faults)


def test_a_finding_is_told_from_end_to_end(scenario: ScenarioPart) -> None:
    found = next(f for f in scenario.findings if f.plan == "shop.send.1=503,shop.set_status.2=503")
    assert found.check == "compensated-is-clean"
    assert found.claim == "compensated"
    assert found.says == "said 'compensated', but shop.issue_credit cr_1 (250000) still stands"
    assert [step.what for step in found.timeline if step.kind == "call"] == [
        "shop.issue_credit cus_7 250000",
        "shop.set_status 9104 solved",
        "shop.send credited",
        "shop.set_status 9104 open",
    ]
    assert [left.text for left in found.residue] == [
        "shop.issue_credit cr_1 (250000)",
        "shop.set_status 9104",
    ]
    assert found.told is not None
    assert (found.told.claim, found.told.cases) == ("compensated", ())
    assert found.twin is not None
    assert found.twin.plan
    assert found.twin.here != found.twin.there
    assert {(row.table, row.changed) for row in found.world_diff} >= {("credits", True), ("tickets", True)}


def test_the_first_difference_to_the_twin_names_the_step_once(scenario: ScenarioPart) -> None:
    found = scenario.findings[0]
    assert found.twin is not None
    assert found.twin.step.split(" ", 1)[1] not in found.twin.here


def test_stable_reports_of_two_campaigns_are_the_same(explored: Explored) -> None:
    one, other = (build([Outcome(explored())], stable=True) for _ in range(2))
    assert one == other
    assert one.version is None
    assert one.scenarios[0].seconds is None


def test_stable_reports_name_no_folder(report: Report) -> None:
    sites = {step.site for f in report.scenarios[0].findings for step in f.timeline if step.site}
    assert sites
    assert all(site.startswith("conftest.py:") for site in sites)


@pytest.mark.parametrize("met", [True, False, None])
def test_what_was_expected_is_held_against_what_was_found(campaign: Campaign, met: bool | None) -> None:
    surplus = () if met else ("a [b] c",)
    outcome = Outcome(campaign, None if met is None else Expectation((), surplus))
    scenario = build([outcome]).scenarios[0]
    assert scenario.expected_met is met
    assert scenario.exit_code == outcome.exit_code
    assert scenario.surplus == (() if met is None else surplus)


@pytest.mark.parametrize(("codes", "worst"), [([], 0), ([0, 0], 0), ([0, 2], 2), ([2, 1], 1), ([1, 3, 2], 3)])
def test_the_worst_scenario_decides_the_exit_code(report: Report, codes: list[int], worst: int) -> None:
    one = report.scenarios[0]
    scenarios = tuple(one.model_copy(update={"exit_code": code}) for code in codes)
    assert Report(scenarios=scenarios).exit_code == worst
    assert Report(scenarios=scenarios, problems=("torn",)).exit_code == 3


def test_an_error_is_placed_in_the_users_code(explored: Explored) -> None:
    found = build([Outcome(explored(checks=(CompensatedIsClean(), Raises())))], stable=True).scenarios[0]
    told = next(f.told for f in found.findings if f.check == Raises.slug)
    assert told is not None
    assert told.where.startswith("conftest.py:")
    assert told.errors[0].number == 1


def test_a_campaign_that_broke_off_has_a_report(explored: Explored) -> None:
    def outside(world: World) -> object:
        world.direct.shop.send(text="x")
        return object()

    found = build([Outcome(explored(outside))], stable=True).scenarios[0]
    assert found.status == "error"
    assert found.errors


def test_findings_without_a_history_have_a_report(campaign: Campaign) -> None:
    bare = Campaign("x", Settings(), ("opaque",), findings=[*campaign.findings])
    kept = [(f, f.history, f.twin_history) for f in bare.findings]
    for finding in bare.findings:
        finding.history = finding.twin_history = None
    try:
        found = build([Outcome(bare)]).scenarios[0]
    finally:
        for finding, history, twin_history in kept:
            finding.history, finding.twin_history = history, twin_history
    assert [f.timeline for f in found.findings] == [()] * len(bare.findings)
    assert all(f.replay for f in found.findings)
