"""`errors-classified` finds what asks again after a refusal for good, or sooner than it was told to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest

from sagaproof._checks.errors_classified import ErrorsClassified
from sagaproof._checks.protocol import State, Verdict
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof_fakes.billing import Billing

Judged = Callable[..., dict[str, Verdict]]
SLUG = "errors-classified"
FAILURE = (ToolError, OSError)


def retrying(times: int, wait: Callable[[Exception, int], float], **args: Any) -> Callable[[Any], str]:
    """A saga of one credit that is tried so often; a wait below zero is the end of it."""

    def saga(world: Any) -> str:
        for number in range(times):
            try:
                world.direct.bank.issue(to="ann", amount=3, **args)
            except FAILURE as error:
                seconds = wait(error, number)
                if seconds < 0:
                    break
                time.sleep(seconds)
            else:
                return "completed"
        world.direct.bank.undo_by_key("issue", "k1") if "key" in args else None
        return "refused"

    return saga


def any_error(_error: Exception, _number: int) -> float:
    return 3.0


def told(error: Exception, number: int) -> float:
    """Right: waits as it is told, backs off else, and is through with what was refused for good."""
    if isinstance(error, ToolError):
        if error.retry_after is not None:
            after = error.retry_after
            if after.isdigit():
                return float(after) if float(after) < 3600 else -1.0
            return parsedate_to_datetime(after).timestamp() - time.time()
        if 400 <= error.status < 500 and error.status not in {408, 409, 429}:
            return -1.0
    return 0.5 * 2.0**number


@pytest.mark.parametrize("fault", ["422", "404"])
def test_a_refusal_for_good_that_is_asked_again_is_found(judged: Judged, fault: str) -> None:
    verdict = judged(retrying(50, any_error), f"bank.issue.1={fault}")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "bank.issue.1 was refused for good and made again"
    assert f"was told '{fault}', and the same was asked for once more" in verdict.because
    assert verdict.calls == (0,)


def test_a_refusal_for_good_of_an_undo_is_found_too(judged: Judged) -> None:
    def saga(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3)["id"]
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            for _ in range(3):
                try:
                    world.direct.bank.reverse(credit=credit)
                except FAILURE:
                    time.sleep(1.0)
                else:
                    break
            return "compensated"
        return "completed"

    verdict = judged(saga, "bank.reverse.1=422,mail.send.1=503")[SLUG]

    assert verdict.claim == "bank.reverse.1 was refused for good and made again"


@pytest.mark.parametrize("fault", ["422", "503", "timeout", "refused", "429", "429-date", "429-bare", "409"])
@pytest.mark.parametrize("times", ["", "/all"])
def test_who_tells_errors_apart_is_right(judged: Judged, fault: str, times: str) -> None:
    verdict = judged(retrying(4, told, key="k1"), f"bank.issue.1={fault}{times}")[SLUG]

    reached = {"422", "429", "429-date"}
    assert verdict.state is (State.HELD if fault in reached else State.NOT_REACHED)


def test_a_day_may_be_waited_for_or_given_up_on(judged: Judged) -> None:
    given_up = judged(retrying(4, told), "bank.issue.1=429-huge")[SLUG]
    waited = judged(retrying(4, lambda *_: 86_400.0), "bank.issue.1=429-huge")[SLUG]

    assert (given_up.state, waited.state) == (State.NOT_REACHED, State.HELD)


@pytest.mark.parametrize(
    ("fault", "wait", "said"),
    [
        ("429", 1.0, "made again after 1 s, but was told to wait 2 s"),
        ("429", 0.0, "made again after 0 s, but was told to wait 2 s"),
        ("429-huge", 60.0, "made again after 60 s, but was told to wait 86400 s"),
        ("429-date", 0.5, "made again after 0.5 s, but was told to wait until a date 2 s ahead"),
    ],
)
def test_an_attempt_before_the_time_is_found(judged: Judged, fault: str, wait: float, said: str) -> None:
    verdict = judged(retrying(3, lambda *_: wait), f"bank.issue.1={fault}")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == f"bank.issue.1 was {said}"


def test_each_rate_limit_counts_from_when_it_was_told(judged: Judged) -> None:
    waits = iter([2.0, 1.5] * 9)
    verdict = judged(retrying(4, lambda *_: next(waits)), "bank.issue.1=429/all")[SLUG]

    assert verdict.state is State.VIOLATED


def test_a_header_that_does_not_get_through_to_the_caller_binds_nobody(judged: Judged) -> None:
    def saga(world: Any) -> str:
        page = world.tool(lambda: {"ok": True}, name="page", cls=2, errors=lambda _status: ValueError("no"))
        for _ in range(2):
            try:
                page()
            except (ValueError, OSError):
                continue
            return "completed"
        return "refused"

    assert judged(saga, "tools.page.1=429")[SLUG].state is State.NOT_REACHED


def test_after_an_attempt_that_may_have_been_applied_a_refusal_says_less(judged: Judged) -> None:
    verdict = judged(retrying(4, any_error, key="k1"), "bank.issue.1=lost,bank.issue.1:2=422")[SLUG]

    assert verdict.state is not State.VIOLATED


def test_what_is_mended_in_between_may_be_asked_again(judged: Judged) -> None:
    def saga(world: Any) -> str:
        try:
            world.direct.hotel.book(guest="ann")
        except FAILURE:
            world.direct.bank.issue(to="ann", amount=3)  # nothing to pay with: give some
            world.direct.hotel.book(guest="ann")
        return "completed"

    assert judged(saga, "hotel.book.1=422")[SLUG].state is State.HELD


def test_a_new_key_is_a_new_intent(judged: Judged) -> None:
    def saga(world: Any) -> str:
        for key in ("k1", "k2"):
            try:
                world.direct.bank.issue(to="ann", amount=3, key=key)
            except FAILURE:
                continue
            return "completed"
        return "refused"

    assert judged(saga, "bank.issue.1=422")[SLUG].state is State.HELD


def test_two_intents_alike_are_no_retry(judged: Judged) -> None:
    def saga(world: Any) -> str:
        done = 0
        for _ in range(2):
            try:
                world.direct.bank.issue(to="ann", amount=3)
                done += 1
            except FAILURE:
                pass
        return "completed" if done == 2 else "refused"

    assert judged(saga, "bank.issue.1=422")[SLUG].state is not State.VIOLATED


@pytest.mark.parametrize("fault", ["422", "429"])
def test_what_was_on_its_way_before_the_refusal_was_known_is_no_retry(fault: str) -> None:
    async def saga(world: Any) -> str:
        world.billing.add_customer("cus_7")
        async with httpx.AsyncClient() as http:
            body = {"customer": "cus_7", "amount": 300}
            posts = [http.post("https://billing.test/credits", json=body) for _ in range(2)]
            answers = await asyncio.gather(*posts)
        return "completed" if all(answer.is_success for answer in answers) else "refused"

    with Runner(WorldHandle({"billing": Billing()}), CallableDriver(saga)) as runner:
        twin = runner.run(OPAQUE, EMPTY)
        history = runner.run(OPAQUE, Plan.parse(f"billing.issue_credit.1={fault}"), twin)

    (call,) = history.calls
    assert len(call.arrivals) == 2
    assert ErrorsClassified().judge(history).state is not State.VIOLATED


def test_credentials_may_be_renewed_once(judged: Judged) -> None:
    def saga(tries: int) -> Callable[[Any], str]:
        return retrying(tries, any_error)

    assert judged(saga(2), "bank.issue.1=403/2")[SLUG].state is State.HELD
    assert judged(saga(3), "bank.issue.1=403/2")[SLUG].state is State.VIOLATED


def test_a_look_may_wait_for_what_is_not_there_yet_and_an_undo_may_come_again(judged: Judged) -> None:
    def saga(world: Any) -> str:
        for _ in range(3):
            try:
                world.direct.crm.get_ticket(ticket="t1")
                break
            except FAILURE:
                time.sleep(1.0)
        for _ in range(3):
            try:
                world.direct.bank.reverse(credit="cr_9")
            except FAILURE:
                time.sleep(1.0)
        return "refused"

    assert judged(saga, "crm.get_ticket.1=404/2")[SLUG].state is not State.VIOLATED


def test_a_hammer_is_found_and_a_few_quick_attempts_are_not(judged: Judged) -> None:
    hammer = judged(retrying(12, lambda *_: 0.0), "bank.issue.1=503/all")[SLUG]
    few = judged(retrying(10, lambda *_: 0.0), "bank.issue.1=503/all")[SLUG]
    patient = judged(retrying(40, lambda *_: 1.0), "bank.issue.1=503/all")[SLUG]
    slow = judged(retrying(12, lambda *_: 0.0, timeout_s=5.0), "bank.issue.1=timeout/all")[SLUG]

    assert hammer.claim == "made 11 attempts at bank.issue.1 without any wait in between"
    assert {few.state, patient.state, slow.state} == {State.NOT_REACHED}


def test_a_new_process_may_renew_its_credentials_too(systems: Callable[[], Any]) -> None:
    kept: list[str] = []

    def attempts(world: Any, times: int) -> str:
        note = world.durable(kept.append)
        for _ in range(times):
            try:
                world.direct.bank.issue(to="ann", amount=3, key="k1")
            except FAILURE:
                time.sleep(1.0)
        note("given up")
        return "refused"

    def judge(times: int) -> State:
        driver = CallableDriver(lambda world: attempts(world, 2), lambda world: attempts(world, times))
        with Runner(WorldHandle(systems()), driver) as runner:
            plan = Plan.parse("bank.issue.1=403/all,journal.append.1=crash-before")
            return ErrorsClassified().judge(runner.run(OPAQUE, plan)).state

    assert judge(2) is State.HELD
    assert judge(3) is State.VIOLATED
