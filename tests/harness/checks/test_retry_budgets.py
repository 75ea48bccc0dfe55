"""`retry-budgets` finds calls that are tried too often or given up too soon, and a budget that is shared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sagaproof import Scenario
from sagaproof import explore as explored
from sagaproof._checks.protocol import State, Verdict
from sagaproof._checks.retry_budgets import RetryBudgets
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._model.script import IfFailed, Script, ToolCall
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof.errors import UsageError

Judged = Callable[..., dict[str, Verdict]]
Systems = Callable[[], dict[str, Any]]
SLUG = "retry-budgets"
FAILURE = (ToolError, OSError)
FOUR = {"bank.*": 4}


def attempt(call: Callable[..., Any], times: int, **args: Any) -> Any:
    """Up to so many times; a refusal for good is not tried again."""
    for left in range(times - 1, -1, -1):
        try:
            return call(**args)
        except FAILURE as error:
            if not left or (isinstance(error, ToolError) and error.status == 422):
                raise
            time.sleep(3.0)
    raise AssertionError


def crediting(times: int, *, key: str | None = "k1") -> Callable[[Any], str]:
    """A credit that is tried so often; what may be left of it is fenced off."""

    def saga(world: Any) -> str:
        try:
            attempt(world.direct.bank.issue, times, to="ann", amount=3, key=key)
        except FAILURE:
            attempt(lambda: world.direct.bank.undo_by_key("issue", "k1"), 4)
            return "compensated"
        return "completed"

    return saga


# Askings of an agent ----------------------------------------------------------------------------------------


class Stubborn:
    """A dispatcher that tries a credit `tries` times, whoever asks; it is the same one, under one key."""

    def __init__(self, world: Any, tries: int) -> None:
        self._bank = world.direct.bank
        self._tries = tries

    def call(self, _tool: str, args: dict[str, Any], _call_id: str) -> Any:
        """Issue it."""
        return attempt(self._bank.issue, self._tries, **args, key="k1")

    def give_up(self) -> str:
        """Take it back, or see to it that it does not come about."""
        attempt(lambda: self._bank.undo_by_key("issue", "k1"), 4)
        return "compensated"

    def finish(self) -> str:
        """Done."""
        return "completed"


def asked_twice(tries: int, systems: Systems) -> Campaign:
    """An agent that asks once more for what could not be done, of a saga that is to try it four times."""
    calls = tuple(ToolCall("issue", {"to": "ann", "amount": 3}, f"c{n}", IfFailed.GO_ON) for n in (1, 2))
    subject = Subject(
        "toy",
        FedDriver(lambda world: Stubborn(world, tries)),
        systems(),
        (RetryBudgets(FOUR),),
        scripts=(Script("twice", calls),),
    )
    return explore(subject, Settings(families=("outage",), faults=1))


def test_what_an_agent_asks_for_again_has_its_own_budget(systems: Systems) -> None:
    campaign = asked_twice(4, systems)

    assert [(finding.says, str(finding.plan)) for finding in campaign.findings] == []
    assert campaign.checks[SLUG].held > 0


def test_a_call_that_is_tried_too_often_in_one_asking_is_found(systems: Systems) -> None:
    (finding, *_) = asked_twice(6, systems).findings

    assert "made 6 attempts" in finding.says


# Declared ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["503/all", "refused/all", "timeout/all", "outage", "429/all", "lost/all"])
def test_who_keeps_to_the_declared_number_is_right(judged: Judged, fault: str) -> None:
    assert judged(crediting(4), f"bank.issue.1={fault}", attempts=FOUR)[SLUG].state is State.HELD


@pytest.mark.parametrize("fault", ["503/all", "refused", "timeout", "429"])
def test_to_give_up_at_once_is_found_where_more_is_declared(judged: Judged, fault: str) -> None:
    verdict = judged(crediting(1), f"bank.issue.1={fault}", attempts=FOUR)[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "gave bank.issue.1 up after 1 attempt, but is to make 4"
    assert "which may pass" in verdict.because


def test_one_attempt_too_many_is_found(judged: Judged) -> None:
    verdict = judged(crediting(5), "bank.issue.1=503/all", attempts=FOUR)[SLUG]

    assert verdict.claim == "made 5 attempts at bank.issue.1, but is to make 4"


def test_it_is_the_attempts_that_are_counted_and_not_the_faults(judged: Judged) -> None:
    assert judged(crediting(4), "bank.issue.1=503/3", attempts=FOUR)[SLUG].state is State.HELD
    assert (
        judged(crediting(4), "bank.issue.1=503,bank.issue.1:2=422", attempts=FOUR)[SLUG].state is State.HELD
    )


@pytest.mark.parametrize("fault", ["422", "429-huge", "soft-error", "garbage"])
def test_what_cannot_pass_or_is_no_error_may_be_given_up_on(judged: Judged, fault: str) -> None:
    assert judged(crediting(1), f"bank.issue.1={fault}", attempts=FOUR)[SLUG].state is not State.VIOLATED


def test_the_first_pattern_that_fits_counts(judged: Judged) -> None:
    attempts = {"bank.issue": 1, "bank.*": 4}

    assert judged(crediting(1), "bank.issue.1=503", attempts=attempts)[SLUG].state is State.HELD
    assert judged(crediting(4), "bank.issue.1=503/all", attempts=attempts)[SLUG].state is State.VIOLATED


def test_a_new_key_is_a_new_intent_with_attempts_of_its_own(judged: Judged) -> None:
    def saga(world: Any) -> str:
        for key in ("k1", "k2"):
            try:
                attempt(world.direct.bank.issue, 4, to="ann", amount=3, key=key)
            except FAILURE:
                continue
            return "completed"
        return "escalated"

    assert judged(saga, "bank.issue.1=503/all", attempts=FOUR)[SLUG].state is State.HELD
    assert judged(saga, "bank.issue.1=503/all", attempts={"bank.*": 3})[SLUG].state is State.VIOLATED


def test_a_look_that_finds_what_a_lost_answer_had_done_ends_it(judged: Judged) -> None:
    def saga(world: Any) -> str:
        bank = world.direct.bank
        try:
            bank.issue(to="ann", amount=3, key="k1")
        except FAILURE:
            bank.lookup(operation="issue", key="k1")
        return "completed"

    assert judged(saga, "bank.issue.1=lost", attempts=FOUR)[SLUG].state is State.HELD
    assert judged(saga, "bank.issue.1=timeout", attempts=FOUR)[SLUG].state is State.VIOLATED


def test_what_another_failure_cut_off_was_not_given_up(judged: Judged) -> None:
    async def saga(world: Any) -> str:
        async def credit() -> None:
            for _ in range(4):
                await asyncio.sleep(1.0)
                try:
                    world.direct.bank.issue(to="ann", amount=3, key="k1")
                except FAILURE:
                    continue
                return

        async def room() -> None:
            await asyncio.sleep(1.5)
            try:
                world.direct.hotel.book(guest="ann")
            except FAILURE as error:
                raise RuntimeError("no room") from error

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(credit())
                group.create_task(room())
        except ExceptionGroup:
            return "refused"
        return "completed"

    assert judged(saga, "bank.issue.1=503/all,hotel.book.1=422", attempts=FOUR)[SLUG].state is State.HELD


@pytest.mark.parametrize("count", [0, -1, True, "4", 2.0, None])
def test_a_number_that_means_nothing_is_refused(count: object) -> None:
    attempts: Mapping[str, Any] = {"bank.*": count}
    with pytest.raises(UsageError, match="first time included"):
        RetryBudgets(attempts)


# Not declared -----------------------------------------------------------------------------------------------


def test_without_a_number_nobody_makes_more_than_fifty(judged: Judged) -> None:
    assert judged(crediting(50), "bank.issue.1=503/all")[SLUG].state is State.HELD

    verdict = judged(crediting(51), "bank.issue.1=503/all")[SLUG]
    assert verdict.claim == "made 51 attempts at bank.issue.1, but nobody means to make more than 50"


def test_who_never_stops_is_found_as_well(judged: Judged) -> None:
    def saga(world: Any) -> None:
        while True:
            try:
                world.direct.bank.issue(to="ann", amount=3, key="k1")
            except FAILURE:
                time.sleep(5.0)
            else:
                return

    verdicts = judged(saga, "bank.issue.1=503/all")
    assert verdicts[SLUG].state is State.VIOLATED
    assert verdicts["terminates"].state is State.VIOLATED


def test_without_a_number_nobody_has_to_try_again(judged: Judged) -> None:
    assert judged(crediting(1), "bank.issue.1=503")[SLUG].state is State.NOT_REACHED


def test_a_look_that_waits_for_something_to_appear_is_no_failing_call(judged: Judged) -> None:
    def saga(world: Any) -> str:
        for _ in range(60):
            try:
                world.direct.crm.get_ticket(ticket="t1")
            except FAILURE:
                time.sleep(60.0)
            else:
                return "completed"
        return "refused"

    assert judged(saga, "crm.get_ticket.1=404/all")[SLUG].state is State.HELD


# Over the campaign ------------------------------------------------------------------------------------------


class TwoSteps:
    """A credit, then a priority, three tries each. With `shared`, all retries come out of one pot."""

    def __init__(self, world: Any, shared: int | None) -> None:
        self._direct = world.direct
        self._left = shared

    def run(self) -> str:
        bank = self._direct.bank
        try:
            credit = self._tries(bank.issue, to="ann", amount=3, key="k1")["id"]
        except FAILURE:
            return "refused"
        try:
            self._tries(self._direct.crm.set_priority, ticket="t1", priority="high")
        except FAILURE:
            return self._undo(credit)
        return "completed"

    def _undo(self, credit: str) -> str:
        try:
            self._tries(self._direct.bank.reverse, credit=credit)
        except FAILURE:
            self._direct.desk.open_case(text=f"{credit} stands")
            return "escalated"
        return "compensated"

    def _tries(self, call: Callable[..., Any], **args: Any) -> Any:
        for left in (2, 1, 0):
            try:
                return call(**args)
            except FAILURE as error:
                if not left or getattr(error, "status", 503) < 500 or not self._may_retry():
                    raise
                time.sleep(1.0)
        raise AssertionError

    def _may_retry(self) -> bool:
        if self._left is None:
            return True
        self._left -= 1
        return self._left >= 0


def two_steps(shared: int | None) -> Callable[[Any], str]:
    def saga(world: Any) -> str:
        world.crm.add_ticket("t1")
        return TwoSteps(world, shared).run()

    return saga


def campaign_of(saga: Callable[[Any], str], systems: Systems) -> Campaign:
    settings = Settings(families=("outage", "rejection"))
    return explore(Subject("toy", CallableDriver(saga), systems(), (RetryBudgets(),)), settings)


def test_an_undo_that_lives_on_what_the_way_there_has_left_is_found(systems: Systems) -> None:
    campaign = campaign_of(two_steps(shared=2), systems)

    (finding,) = campaign.findings
    assert finding.check == SLUG
    assert finding.says == (
        "gave bank.reverse up after 1 attempt where calls had been tried again before it, "
        "but after 3 where none had"
    )
    assert str(finding.plan) == "bank.reverse.1=503/all,crm.set_priority.1=503/all"
    assert str(finding.twin) == "bank.reverse.1=503/all,crm.set_priority.1=422"
    assert finding.history is not None
    assert finding.twin_history is not None
    assert campaign.checks[SLUG].violated == 1


def test_budgets_of_their_own_hold(systems: Systems) -> None:
    campaign = campaign_of(two_steps(shared=None), systems)

    assert campaign.findings == []
    assert campaign.incomplete == []
    assert campaign.checks[SLUG].violated == 0
    assert campaign.checks[SLUG].held > 0


# Where numbers are declared ---------------------------------------------------------------------------------


def test_explore_and_scenarios_take_numbers(systems: Systems) -> None:
    settings = Settings(faults=1, families=("outage",))
    scenario = Scenario("toy", "A credit.", ("desk",), body=crediting(3), attempts=FOUR, settings=settings)
    declared = subject_of_scenario(scenario)
    subject = Subject("toy", declared.driver, systems(), declared.checks)

    @explored(systems=list(systems().values()), attempts=FOUR, faults=1, families=["outage"])
    def agent(world: Any) -> str:
        return crediting(3)(world)

    with pytest.raises(CampaignFailed, match=r"gave bank\.issue\.1 up after 3 attempts, but is to make 4"):
        agent()  # type: ignore[call-arg]  # the world comes by itself
    assert SLUG in {finding.check for finding in explore(subject, settings).findings}


def test_a_pattern_that_fits_nothing_is_a_slip(systems: Systems) -> None:
    @explored(systems=list(systems().values()), attempts={"bnak.*": 4})
    def agent(world: Any) -> str:
        return crediting(4)(world)

    with pytest.raises(CampaignFailed, match=r"attempts= names 'bnak\.\*', which is no operation"):
        agent()  # type: ignore[call-arg]


def test_a_number_that_means_nothing_is_refused_where_it_stands() -> None:
    decorate = explored(attempts={"bank.*": 0})
    with pytest.raises(UsageError, match="attempts= has 0"):
        decorate(crediting(4))
