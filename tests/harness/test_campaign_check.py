"""A check that compares runs gets each run once, and what it finds is a finding like any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof import HELD, NOT_REACHED, CampaignCheck, Facts, History, RunCheck, Verdict, violated
from sagaproof import explore as explored
from sagaproof._checks.campaign_check import Check, Fold
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.user_checks import of_user
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._report.build import build_scenario
from sagaproof._report.html import as_html
from sagaproof._report.schema import Report
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.expected import Outcome
from sagaproof._search.explore import explore, replay
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof._world.system import System

FEW = Settings(faults=1, families=("outage",))


def buys(world: Any) -> str:
    """Tries to buy up to three times, and says so only of the first."""
    for _ in range(3):
        try:
            world.direct.shop.buy(item="tea", key="k")
        except (ToolError, OSError):
            continue
        return "completed"
    return "refused"


class Seen:
    """The runs of one campaign, by their number of calls."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.most: tuple[int, tuple[str, Plan]] = (0, ("", EMPTY))

    def observe(self, history: History) -> None:
        self.plans.append(history.plan)
        arrivals = sum(len(call.arrivals) for call in history.calls)
        self.most = max(self.most, (arrivals, (history.script.name, history.plan)), key=lambda most: most[0])

    def conclude(self) -> Verdict:
        most, run = self.most
        if not self.plans:
            return NOT_REACHED
        says = f"one run made {most} attempts"
        return violated(says, calls=[0], run=run, beside=("opaque", EMPTY)) if most > 1 else HELD


class SameAttempts:
    """No run may make more attempts than another."""

    slug = "same-attempts"

    def __init__(self) -> None:
        self.folds: list[Seen] = []

    def applies(self, facts: Facts) -> bool:
        return bool(facts.called)

    def begin(self) -> Seen:
        self.folds.append(Seen())
        return self.folds[-1]


@pytest.fixture
def subject(shop: System) -> Callable[..., Subject]:
    return lambda *checks: Subject("toy", CallableDriver(buys), {"shop": shop}, checks)


def test_each_run_is_observed_once_and_in_order(subject: Callable[..., Subject]) -> None:
    check = SameAttempts()
    campaign = explore(subject(check), FEW)

    (fold,) = check.folds
    assert len(fold.plans) == len(set(fold.plans)) == campaign.runs > 3
    assert fold.plans[0] == EMPTY


def test_every_campaign_begins_anew(subject: Callable[..., Subject]) -> None:
    check = SameAttempts()
    explore(subject(check), FEW)
    explore(subject(check), FEW)

    first, second = check.folds
    assert first.plans == second.plans


def test_what_it_finds_is_a_finding_with_two_runs_and_counted_once(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(SameAttempts()), FEW)

    (finding,) = campaign.findings
    assert campaign.status is Status.FINDINGS
    assert (finding.check, str(finding.plan), finding.says, finding.plans) == (
        "same-attempts",
        "shop.buy.1=503/all",
        "one run made 3 attempts",
        1,
    )
    assert finding.claim is not None
    assert [str(where) for where in finding.key.classes] == ["shop.buy/forward/first/before-pivot"]
    assert finding.history is not None
    assert finding.history.plan == finding.plan
    assert finding.twin == EMPTY
    assert finding.twin_history is not None
    count = campaign.checks["same-attempts"]
    assert (count.held, count.violated, count.not_reached, count.applies) == (0, 1, 0, True)


def test_where_it_holds_it_is_counted_once(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(SameAttempts()), Settings(faults=0))

    count = campaign.checks["same-attempts"]
    assert (count.held, count.violated, count.not_reached) == (1, 0, 0)
    assert campaign.status is Status.CLEAN


def test_one_that_applies_and_came_to_nothing_makes_it_incomplete(subject: Callable[..., Subject]) -> None:
    class Idle(SameAttempts):
        def begin(self) -> Any:
            return Nothing()

    class Nothing(Seen):
        def conclude(self) -> Verdict:
            return NOT_REACHED

    assert explore(subject(Idle()), FEW).incomplete == ["check same-attempts applies and was never reached"]


def test_a_replay_leaves_it_out_and_says_so(subject: Callable[..., Subject]) -> None:
    (finding,) = explore(subject(SameAttempts()), FEW).findings
    campaign = replay(subject(SameAttempts()), FEW, finding.plan, finding.script)

    assert campaign.findings == []
    assert campaign.notes == ["runs are not compared in a replay: not judged by same-attempts"]
    assert replay(subject(), FEW, finding.plan, finding.script).notes == []


def test_the_report_holds_the_two_runs_against_each_other(subject: Callable[..., Subject]) -> None:
    part = build_scenario(Outcome(explore(subject(SameAttempts()), FEW)), stable=True)

    (found,) = part.findings
    assert found.twin is not None
    assert (found.twin.plan, found.twin.script) == ("", "opaque")
    assert "'run', 'toy'" in found.snippet, "a replay would not show it"
    page = as_html(Report(scenarios=(part,)))
    assert "Held against" in page
    assert "Nearest plan that holds" not in page
    (check,) = part.checks
    assert (check.state, check.violated) == ("violated", 1)


class Both(SameAttempts):
    """Of each run, and over all of them."""

    def judge(self, history: History) -> Verdict:
        return HELD if history.calls else NOT_REACHED


def test_one_that_is_both_is_judged_for_each_run_and_once_more(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(Both()), FEW)

    count = campaign.checks["same-attempts"]
    assert (count.held, count.violated) == (campaign.runs, 1)


# What breaks ------------------------------------------------------------------------------------------------


class Breaks(SameAttempts):
    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    def begin(self) -> Any:
        if self._where == "begin":
            raise LookupError("no start")
        return Breaking(self._where)


class Breaking(Seen):
    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    def observe(self, history: History) -> None:
        super().observe(history)
        if self._where == "observe" and history.plan:
            raise LookupError("no way")

    def conclude(self) -> Verdict:
        if self._where == "conclude":
            raise LookupError("no end")
        return violated(
            "it is so", run=None if self._where == "no run" else ("opaque", Plan.parse("a.b.1=503"))
        )


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("begin", "broke at its beginning: LookupError: no start"),
        ("observe", "broke over plan 'shop.buy.1=503': LookupError: no way"),
        ("conclude", "broke at the end: LookupError: no end"),
        ("no run", "broke at the end: it names a run that was not made: LookupError"),
        ("other run", "broke at the end: it names a run that was not made: KeyError"),
    ],
)
def test_one_that_breaks_is_an_error_and_the_findings_are_kept(
    subject: Callable[..., Subject], where: str, says: str
) -> None:
    other = SameAttempts()
    other.slug = "other"
    campaign = explore(subject(Breaks(where), other), FEW)

    (error,) = campaign.errors
    assert error.startswith(f"check same-attempts {says}")
    assert [finding.check for finding in campaign.findings] == ["other"]
    assert campaign.status is Status.ERROR


# Of the user ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", [SameAttempts(), Both()])
def test_what_is_put_around_one_of_the_user_is_of_the_same_kind(check: Check) -> None:
    wrapped = of_user(check)

    assert isinstance(wrapped, CampaignCheck)
    assert isinstance(wrapped, RunCheck) == isinstance(check, RunCheck)
    assert wrapped.slug == check.slug


def test_explore_takes_one(shop: System) -> None:
    @explored(systems=[shop], checks=[SameAttempts()], faults=1, families=["outage"])
    def agent(world: Any) -> str:
        return buys(world)

    with pytest.raises(CampaignFailed, match="one run made 3 attempts") as caught:
        agent()  # type: ignore[call-arg]  # the world comes by itself
    campaign = caught.value.campaign
    assert isinstance(campaign, Campaign)
    assert "same-attempts" in {finding.check for finding in campaign.findings}


def test_a_fold_may_be_the_check_itself_if_it_begins_anew(subject: Callable[..., Subject]) -> None:
    class Small(SameAttempts):
        def begin(self) -> Any:
            self.runs = 0
            return self

        def observe(self, _history: History) -> None:
            self.runs += 1

        def conclude(self) -> Verdict:
            return HELD if self.runs > 1 else NOT_REACHED

    check = Small()
    fold: Fold = check.begin()
    assert fold is check
    assert explore(subject(check), FEW).checks["same-attempts"].held == 1
