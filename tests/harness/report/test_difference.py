"""Two reports held against each other: what the newer one has, what it lacks, and whether that is worse."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from sagaproof import World
from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._report.build import build
from sagaproof._report.diff import difference
from sagaproof._report.diff_schema import Diff
from sagaproof._report.diff_text import diff_lines
from sagaproof._report.schema import Report
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Outcome
from sagaproof._search.settings import Exclusion, Settings

Explored = Callable[..., Campaign]
SETTINGS = Settings(families=("outage",), faults=1)


def refuses(world: World) -> str:
    """Right: it takes nothing back, for it does nothing before its last step."""
    world.shop.add_ticket("9104")
    try:
        world.direct.shop.set_status(ticket="9104", status="solved")
    except OSError:
        return "refused"
    return "completed"


def says_compensated(world: World) -> str:
    """Planted: it says so whatever is left."""
    world.shop.add_ticket("9104")
    shop = world.direct.shop
    shop.issue_credit(customer="cus_7", amount=1)
    try:
        shop.set_status(ticket="9104", status="solved")
    except Exception:  # noqa: BLE001  # this is the bug
        return "compensated"
    return "completed"


def raises(world: World) -> str:
    """The same without the bug."""
    world.shop.add_ticket("9104")
    world.direct.shop.issue_credit(customer="cus_7", amount=1)
    world.direct.shop.set_status(ticket="9104", status="solved")
    return "completed"


@pytest.fixture(scope="module")
def made(explored: Explored) -> Callable[..., Report]:
    def make(body: Callable[[World], str], settings: Settings = SETTINGS) -> Report:
        campaign = explored(body, name="it", checks=(CompensatedIsClean(),), settings=settings)
        return build([Outcome(campaign)], stable=True)

    return make


def text(diff: Diff) -> str:
    return "\n".join(diff_lines(diff))


def test_a_report_does_not_differ_from_itself(made: Callable[..., Report]) -> None:
    found = difference(made(raises), made(raises))
    assert found == Diff()
    assert text(found) == "no difference"
    assert found.exit_code == 0


def test_a_new_bug_is_newly_violated_and_a_new_finding(made: Callable[..., Report]) -> None:
    found = difference(made(raises), made(says_compensated))
    assert {cell.operation for cell in found.newly_violated} == {"shop.set_status"}
    assert {(cell.before, cell.after) for cell in found.newly_violated} == {("held", "violated")}
    assert {finding.check for finding in found.new_findings} == {"compensated-is-clean"}
    assert found.exit_code == 1
    assert "newly violated" in text(found)
    assert "held -> violated" in text(found)
    assert "sagaproof replay" in text(found) or "--saga-plan" in text(found)


def test_a_bug_that_is_mended_is_a_fixed_finding_and_nothing_worse(made: Callable[..., Report]) -> None:
    found = difference(made(says_compensated), made(raises))
    assert {cell.after for cell in found.no_longer_violated} == {"held"}
    assert {finding.check for finding in found.fixed_findings} == {"compensated-is-clean"}
    assert (found.newly_violated, found.newly_uncovered, found.new_findings) == ((), (), ())
    assert found.exit_code == 0


def test_a_finding_that_the_baseline_lets_pass_is_told_and_fails_nothing(
    made: Callable[..., Report],
) -> None:
    old = made(says_compensated)
    part = old.scenarios[0]
    known = tuple(one.model_copy(update={"known": "next week"}) for one in part.findings)
    new = old.model_copy(update={"scenarios": (part.model_copy(update={"findings": known}),)})
    without = old.model_copy(update={"scenarios": (part.model_copy(update={"findings": ()}),)})
    found = difference(without, new)
    assert all(finding.known for finding in found.new_findings)
    assert found.new_findings
    assert found.exit_code == 0


def test_what_is_excluded_now_is_newly_uncovered_with_its_reason(made: Callable[..., Report]) -> None:
    exclude = (Exclusion("shop.set_status", "503", "retried by the gateway"),)
    found = difference(made(raises), made(raises, replace(SETTINGS, exclude=exclude)))
    (cell,) = found.newly_uncovered
    assert (cell.fault, cell.after, cell.reason) == ("503", "excluded", "retried by the gateway")
    assert found.exit_code == 1
    assert "exclude was ()" in text(found)


def test_a_step_that_is_no_more_is_gone_and_a_new_one_newly_covered(made: Callable[..., Report]) -> None:
    found = difference(made(raises), made(refuses))
    assert {cell.operation for cell in found.gone} == {"shop.issue_credit"}
    assert found.newly_uncovered == ()
    assert found.exit_code == 0
    back = difference(made(refuses), made(raises))
    assert {cell.operation for cell in back.newly_covered} == {"shop.issue_credit"}


def test_scenarios_that_only_one_has_are_named(made: Callable[..., Report]) -> None:
    found = difference(made(raises), Report())
    assert found.gone_scenarios == ("it",)
    assert found.gone
    assert difference(Report(), made(raises)).new_scenarios == ("it",)


def test_it_is_json(made: Callable[..., Report]) -> None:
    found = difference(made(raises), made(says_compensated))
    text = json.dumps(found.model_dump(mode="json", by_alias=True))
    assert Diff.model_validate_json(text) == found
    assert json.loads(text)["schema"] == "sagaproof-diff/1"
