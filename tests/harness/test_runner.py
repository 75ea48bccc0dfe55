"""A run: one script under one plan in one fresh world, driven to rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Applied, Broke, Ended, Landed, Rested, Slept
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Limits, Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import SagaStopped
from sagaproof.errors import NotInjected, UsageError

RunOf = Callable[..., History]


@pytest.fixture
def run(world: WorldHandle) -> RunOf:
    """`run(body, plan, **settings of the runner)`: the history of one run."""

    def run(body: Callable[[Any], object], plan: str = "", **settings: Any) -> History:
        with Runner(world, CallableDriver(body), **settings) as runner:
            return runner.run(OPAQUE, Plan.parse(plan))

    return run


def buys(world: Any) -> str | None:
    try:
        world.direct.shop.buy(item="tea", key="k")
    except (ToolError, OSError):
        return "refused"
    return None


def test_a_run_ends_and_then_comes_to_rest(run: RunOf) -> None:
    history = run(buys)
    assert [event.__class__.__name__ for event in history.events] == [
        "Called", "Applied", "Told", "Ended", "Rested",
    ]  # fmt: skip
    assert (history.script, history.plan, history.twin) == (OPAQUE, EMPTY, None)


def test_each_run_finds_the_world_as_the_first_did(world: WorldHandle) -> None:
    with Runner(world, CallableDriver(buys)) as runner:
        first, second = runner.run(OPAQUE, EMPTY), runner.run(OPAQUE, EMPTY)
    assert first.events == second.events
    assert first.events is not second.events


def test_what_is_late_lands_after_the_end_and_before_the_rest(run: RunOf) -> None:
    history = run(buys, "shop.buy.1=late-end")
    kinds = [event.__class__ for event in history.events]
    assert kinds[-4:] == [Ended, Applied, Landed, Rested]


def test_a_fault_that_met_no_point_is_an_error_that_names_it(run: RunOf) -> None:
    with pytest.raises(NotInjected) as caught:
        run(buys, "shop.buy.1=503,shop.buy.2=503")
    assert caught.value.what == "shop.buy.2=503 was planned and never met its point"
    assert caught.value.where == "plan shop.buy.1=503,shop.buy.2=503, script opaque"


def test_faults_that_were_met_are_counted_in_the_history(run: RunOf) -> None:
    history = run(buys, "shop.buy.1=503/3")
    assert {str(injection): n for injection, n in history.injected.items()} == {"shop.buy.1=503/3": 1}


def test_waiting_takes_virtual_time_and_is_noted(run: RunOf) -> None:
    def waits(_: Any) -> None:
        time.sleep(3600.0)

    async def waits_later(_: Any) -> None:
        await asyncio.sleep(3600.0)

    for body in (waits, waits_later):
        history = run(body)
        assert [event.seconds for event in history.of(Slept)] == [3600.0]
        (ended,) = history.of(Ended)
        assert ended.at == 3600.0


def test_a_saga_that_never_stops_calling_is_stopped(run: RunOf) -> None:
    def polls(world: Any) -> None:
        while True:
            world.direct.shop.send(order="a")

    history = run(polls, limits=Limits(calls_max=7))
    assert (history.ending.how, history.claim, history.ending.where) == (
        "hung",
        None,
        "made more than 7 calls",
    )
    assert len(history.calls) == 7


def test_a_saga_that_waits_for_ever_is_stopped(run: RunOf) -> None:
    def waits(_: Any) -> None:
        while True:
            time.sleep(60.0)

    async def waits_later(_: Any) -> None:
        while True:  # noqa: ASYNC110  # that is what is tested
            await asyncio.sleep(60.0)

    for body in (waits, waits_later):
        history = run(body, limits=Limits(virtual_s_max=600.0))
        assert history.ending.how == "hung"
        assert len(list(history.of(Slept))) <= 11


def test_after_its_run_has_ended_nobody_can_call(world: WorldHandle) -> None:
    kept: list[Any] = []

    def keeps(world: Any) -> None:
        kept.append(world.direct.shop.buy)

    with Runner(world, CallableDriver(keeps)) as runner:
        history = runner.run(OPAQUE, EMPTY)
        with pytest.raises(SagaStopped, match="called after its run had ended"):
            kept[0](item="tea")
    assert history.effects == []


def test_invariants_are_looked_at_at_rest_where_another_writer_came_in(run: RunOf) -> None:
    def writes_outside(world: Any) -> None:
        world.direct.shop.buy(item="tea")
        world.shop.orders.put("o", {"id": "o", "amount": -1})

    history = run(writes_outside)
    assert list(history.of(Broke)) == [Broke(0.01, "shop", "sums_are_positive", "o has -1")]
    assert history.events[-1] == Rested(0.01)


def asserting(_: Any) -> None:
    raise AssertionError("a sum is wrong")


def silent(_: Any) -> None:
    raise AssertionError


@pytest.mark.parametrize(
    ("invariant", "said"),
    [
        (lambda _: None, None),
        (lambda _: True, None),
        (lambda _: "", None),
        (lambda _: False, "returned False"),
        (lambda _: "o_1 is wrong", "o_1 is wrong"),
        (asserting, "a sum is wrong"),
        (silent, "the assertion failed"),
    ],
)
def test_a_users_invariant_may_return_or_assert(run: RunOf, invariant: Any, said: str | None) -> None:
    broken = [(event.system, event.detail) for event in run(buys, invariants=(invariant,)).of(Broke)]
    assert broken == ([] if said is None else [("", said)])


def test_a_users_invariant_sees_the_world_at_rest(run: RunOf) -> None:
    def one_order(world: Any) -> str:
        return f"there are {len(world.shop.orders)} orders"

    history = run(buys, "shop.buy.1=late-end", invariants=(one_order,))
    assert [(e.invariant, e.detail) for e in history.of(Broke)] == [("one_order", "there are 1 orders")]


def missing(world: Any) -> bool:
    return bool(world.shop.orders["o_9"])


def calling(world: Any) -> bool:
    return bool(world.direct.shop.get_order(order="o_1"))


@pytest.mark.parametrize(
    ("invariant", "says"), [(missing, "KeyError: 'o_9'"), (calling, "called after its run had ended")]
)
def test_a_users_invariant_that_breaks_is_an_error_that_names_it_and_the_plan(
    run: RunOf, invariant: Any, says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        run(buys, "shop.buy.1=lost", invariants=(invariant,))
    assert caught.value.what.startswith(f"the invariant {invariant.__name__} broke: ")
    assert says in caught.value.what
    assert caught.value.where == "plan shop.buy.1=lost"
    assert "world.<system>" in caught.value.advice


def test_what_is_patched_is_restored_when_the_runner_is_left(world: WorldHandle) -> None:
    sleep, now = time.sleep, time.time
    with Runner(world, CallableDriver(buys)) as runner:
        runner.run(OPAQUE, EMPTY)
    assert (time.sleep, time.time) == (sleep, now)
    world.begin(world.fresh_gate())
    assert world.direct.shop.buy(item="tea")["id"] == "o_1", "the world can be used on"
