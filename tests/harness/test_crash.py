"""The simulated crash: where the process dies, what is refused to the dead, and how a new one goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._drivers.protocol import Driver
from sagaproof._model.event import Answered, Applied, Asked, Called, Died, Noted, Restarted, Slept
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE, AfterRestart, Script, ToolCall
from sagaproof._run.runner import Runner
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import ProcessDied
from sagaproof._world.system import System
from sagaproof.errors import NotInjected, UsageError
from sagaproof.saga import Record

Body = Callable[[Any], Any]


@pytest.fixture
def run(shop: System, bank: System) -> Callable[..., History]:
    """`run(body, recover, plan)`, or a driver in place of both: the history of one run."""

    def run(saga: Body | Driver, recover: Body | None, plan: str, script: Script = OPAQUE) -> History:
        driver = CallableDriver(saga, recover) if callable(saga) else saga
        with Runner(WorldHandle({"shop": shop, "bank": bank}), driver) as runner:
            return runner.run(script, Plan.parse(plan))

    return run


def seen(history: History) -> list[str]:
    """Calls, writes, deaths and restarts in the order of the history."""
    found = []
    for event in history.events:
        if isinstance(event, Called):
            found.append(str(event.point))
        elif isinstance(event, Noted):
            found.append(f"{event.point} {'kept' if event.kept else 'lost'}")
        elif isinstance(event, Died):
            found.append("died")
        elif isinstance(event, Restarted):
            found.append("at rest" if event.at_rest else "restarted")
    return found


def effects(history: History) -> list[str]:
    return [event.effect.operation for event in history.of(Applied)]


class Store:
    """What a saga keeps on disk; it lives as long as the test."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def fresh(self, world: Any) -> Callable[[str], None]:
        """Empty, with a tap around its one write."""
        self.lines = []
        return self.tapped(world)

    def tapped(self, world: Any) -> Callable[[str], None]:
        write: Callable[[str], None] = world.durable(self.lines.append)
        return write


# Where it dies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "stands", "told"),
    [
        ("shop.buy.1=crash-before", [], []),
        ("shop.buy.1=crash-after", ["buy"], []),
        ("shop.send.1=crash-before", ["buy"], ["shop.buy.1"]),
    ],
)
def test_a_process_dies_before_or_after_a_call_and_is_told_nothing_of_it(
    run: Callable[..., History], plan: str, stands: list[str], told: list[str]
) -> None:
    def body(world: Any) -> None:
        world.direct.shop.send(order=world.direct.shop.buy(item="tea")["id"])

    history = run(body, lambda _: "raised", plan)
    assert effects(history) == stands
    assert [f"{c.operation.full}.1" for c in history.calls if c.last_told is not None] == told
    assert history.claim == "raised", "the claim is that of the recovery"


def test_what_was_under_way_when_the_process_died_lands_after_the_end(run: Callable[..., History]) -> None:
    history = run(lambda world: world.direct.shop.buy(item="tea"), lambda _: None, "shop.buy.1=crash-late")
    assert effects(history) == ["buy"]
    assert history.applied_at[0] > history.ended_at


@pytest.mark.parametrize(("fault", "kept"), [("crash-before", ["a"]), ("crash-after", ["a", "b"])])
def test_a_write_into_a_durable_store_is_kept_or_lost_as_the_fault_says(
    run: Callable[..., History], fault: str, kept: list[str]
) -> None:
    store, found = Store(), []

    def body(world: Any) -> None:
        write = store.fresh(world)
        write("a")
        write("b")
        write("c")

    def recover(_: Any) -> None:
        found.append(list(store.lines))

    history = run(body, recover, f"journal.append.2={fault}")
    assert found[0] == kept
    assert [event.record for event in history.of(Noted)] == ["a", "b"]


def test_writes_count_on_over_a_restart(run: Callable[..., History]) -> None:
    store = Store()

    def body(world: Any) -> None:
        store.fresh(world)("a")
        world.direct.shop.buy(item="tea")

    def recover(world: Any) -> None:
        store.tapped(world)("b")

    history = run(body, recover, "shop.buy.1=crash-before,journal.append.2@1=crash-after")
    assert seen(history) == [
        "journal.append.1 kept", "shop.buy.1", "died", "restarted",
        "journal.append.2@1 kept", "died", "restarted", "journal.append.3@2 kept", "at rest",
        "journal.append.4@3 kept",
    ]  # fmt: skip


def test_a_write_that_fails_by_itself_is_noted_as_lost(run: Callable[..., History]) -> None:
    def full(_: str) -> None:
        raise OSError("no space left")

    def body(world: Any) -> str:
        with pytest.raises(OSError, match="no space"):
            world.durable(full, name="disk.write")("a")
        return "refused"

    assert seen(run(body, None, "")) == ["disk.write.1 lost"]


def test_an_async_write_is_a_point_as_well(run: Callable[..., History]) -> None:
    lines: list[str] = []

    async def write(line: str) -> None:
        await asyncio.sleep(0)
        lines.append(line)

    async def body(world: Any) -> None:
        await world.durable(write)("a")

    async def recover(_: Any) -> str:
        return "completed" if lines else "refused"

    assert run(body, recover, "journal.append.1=crash-before").claim == "refused"
    assert run(body, recover, "journal.append.1=crash-after").claim == "completed"


def test_a_name_that_plans_could_not_hold_is_refused(shop: System) -> None:
    with pytest.raises(UsageError, match=r"STORE\.FUNCTION"):
        WorldHandle({"shop": shop}).durable(print, name="journal")


# What the dead may do ---------------------------------------------------------------------------------------


def test_the_dead_neither_call_nor_write_nor_wait(run: Callable[..., History]) -> None:
    store, refused = Store(), []

    def attempt(act: Callable[[], object]) -> None:
        try:
            act()
        except ProcessDied:
            refused.append(act)

    def body(world: Any) -> str:
        write = store.fresh(world)
        shop = world.direct.shop
        try:
            shop.buy(item="tea")
        finally:
            attempt(lambda: shop.buy(item="milk"))
            attempt(lambda: write("bought"))
            attempt(lambda: time.sleep(3600))
        return "completed"

    history = run(body, lambda _: "refused", "shop.buy.1=crash-before")
    assert len(refused) == 3
    assert effects(history) == []
    assert store.lines == []
    assert list(history.of(Slept)) == []
    assert history.events[history.ended_at].at < 60, "nor does time go on for them"


def test_what_a_dead_process_returns_is_void(run: Callable[..., History]) -> None:
    def body(world: Any) -> str:
        try:
            world.direct.shop.buy(item="tea")
        except BaseException:  # noqa: BLE001  # swallowing it is the point
            return "completed"
        return "completed"

    assert run(body, lambda _: "refused", "shop.buy.1=crash-before").claim == "refused"


def test_parallel_siblings_die_with_their_process(run: Callable[..., History]) -> None:
    async def buy(world: Any, item: str) -> None:
        await asyncio.sleep(0)
        world.direct.shop.buy(item=item)

    async def body(world: Any) -> None:
        await asyncio.gather(*(buy(world, item) for item in ("tea", "milk", "salt")), return_exceptions=True)

    async def recover(_: Any) -> str:
        return "raised"

    history = run(body, recover, "shop.buy.2=crash-before")
    assert effects(history) == ["buy"], "the third was never made"


def test_a_background_task_of_a_dead_process_does_not_wake_up(run: Callable[..., History]) -> None:
    async def later(world: Any) -> None:
        await asyncio.sleep(30)
        world.direct.shop.buy(item="milk")

    async def body(world: Any) -> None:
        asyncio.create_task(later(world)).add_done_callback(lambda _: None)
        await asyncio.sleep(0)
        world.direct.shop.buy(item="tea")

    async def recover(_: Any) -> str:
        await asyncio.sleep(60)
        return "refused"

    assert effects(run(body, recover, "shop.buy.1=crash-before")) == []


def test_a_thread_of_a_dead_process_is_refused_by_the_next(run: Callable[..., History]) -> None:
    awake, refused = threading.Event(), []

    def work(world: Any) -> None:
        awake.wait(5)
        try:
            world.direct.shop.buy(item="milk")
        except ProcessDied as error:
            refused.append(error)

    threads: list[threading.Thread] = []

    def body(world: Any) -> None:
        awake.clear()
        threads.append(threading.Thread(target=work, args=(world,)))
        threads[-1].start()
        world.direct.shop.buy(item="tea")

    def recover(_: Any) -> str:
        awake.set()
        threads[-1].join()
        return "refused"

    assert effects(run(body, recover, "shop.buy.1=crash-before")) == []
    assert len(refused) == 1


def test_a_new_process_draws_other_random_numbers(run: Callable[..., History]) -> None:
    import uuid  # noqa: PLC0415

    drawn: list[str] = []

    def draw(world: Any) -> None:
        drawn.append(str(uuid.uuid4()))
        world.direct.shop.buy(item="tea")

    run(draw, draw, "shop.buy.1=crash-before")
    assert len(set(drawn)) == len(drawn) == 3


# How a new one goes on --------------------------------------------------------------------------------------


def test_a_recovery_is_killed_as_well_and_started_again(run: Callable[..., History]) -> None:
    def buy(world: Any) -> None:
        world.direct.shop.buy(item="tea")

    history = run(buy, buy, "shop.buy.1=crash-before,shop.buy.1:2@1=crash-before")
    assert seen(history) == [
        "shop.buy.1", "died", "restarted", "shop.buy.1:2@1", "died", "restarted", "shop.buy.1:3@2",
        "at rest", "shop.buy.2@3",
    ]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "alike"), [(True, True, True), (True, False, False)])
def test_how_often_a_saga_was_taken_up_in_vain_is_a_part_of_what_a_new_process_comes_upon(
    shop: System, *, one: bool, other: bool, alike: bool
) -> None:
    def state(attempt: bool) -> object:
        def taken_up(world: Any) -> None:
            first = world.journal.begin("order-1", Record("started", {"goal": None}), 600.0)
            world.journal.claim("order-1", 600.0, attempt=attempt, own=first)
            world.direct.shop.buy(item="tea")

        driver = CallableDriver(taken_up, lambda _world: "escalated")
        with Runner(WorldHandle({"shop": shop}), driver) as runner:
            return runner.run(OPAQUE, Plan.parse("shop.buy.1=crash-before")).crash_state

    assert state(one) is not None
    assert (state(one) == state(other)) is alike


def test_at_rest_a_saga_that_died_is_asked_once_more_and_without_faults(run: Callable[..., History]) -> None:
    def buy(world: Any) -> None:
        world.direct.shop.buy(item="tea")

    history = run(buy, buy, "shop.buy.1=crash-before,shop.buy.1:2@1=duplicate")
    last = [event for event in history.events if isinstance(event, Called)][-1]
    assert last.point.restart == 2
    assert last.fault is None
    assert history.events.index(last) > history.ended_at


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_recovery_that_raises_is_what_the_saga_says_of_itself(
    run: Callable[..., History], asynchronous: bool
) -> None:
    def buy(world: Any) -> None:
        world.direct.shop.buy(item="tea")

    def recover(_: Any) -> None:
        raise LookupError("no journal")

    async def buy_async(world: Any) -> None:
        buy(world)

    async def recover_async(_: Any) -> None:
        recover(_)

    sagas = (buy_async, recover_async) if asynchronous else (buy, recover)
    history = run(*sagas, "shop.buy.1=crash-before")
    assert history.claim == "raised"
    assert history.ending.errors[0].text == "no journal"


def test_without_a_recovery_a_crash_is_an_error_that_says_so(
    run: Callable[..., History],
) -> None:
    with pytest.raises(UsageError, match="recover="):
        run(lambda world: world.direct.shop.buy(item="tea"), None, "shop.buy.1=crash-before")


def test_a_crash_that_was_planned_and_did_not_happen_is_an_error(run: Callable[..., History]) -> None:
    with pytest.raises(NotInjected):
        run(lambda _: None, lambda _: None, "journal.append.1=crash-before")


# The script after a restart ---------------------------------------------------------------------------------


class Agent:
    """A dispatcher that remembers in a store which of its calls were answered."""

    def __init__(self, world: Any, done: list[str]) -> None:
        self._world = world
        self._done = done
        self._note = world.durable(done.append)

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> object:
        """Buy, unless it was bought."""
        if call_id not in self._done:
            getattr(self._world.direct.shop, tool)(**args)
            self._note(call_id)
        return {"bought": call_id}

    def give_up(self) -> str:
        """Leave all as it is, and say so."""
        return "raised"

    def finish(self) -> str:
        """Done."""
        return "completed"


CALLS = (ToolCall("buy", {"item": "tea"}, "c1"), ToolCall("buy", {"item": "milk"}, "c2"))


@pytest.fixture
def agent() -> FedDriver:
    done: list[str] = []

    def make(world: WorldHandle) -> Agent:
        done.clear()
        return Agent(world, done)

    return FedDriver(make, lambda world: Agent(world, done))


def test_an_agent_that_goes_on_repeats_its_calls(run: Callable[..., History], agent: FedDriver) -> None:
    history = run(agent, None, "shop.buy.2=crash-before", Script("shopping", CALLS))
    assert seen(history) == [
        "shop.buy.1", "journal.append.1 kept", "shop.buy.2", "died", "restarted", "shop.buy.2:2@1",
        "journal.append.2@1 kept", "at rest",
    ]  # fmt: skip
    assert history.claim == "completed"
    assert [(e.step, e.call_id) for e in history.of(Asked)] == [(1, "c1"), (2, "c2"), (1, "c1"), (2, "c2")]
    assert [(e.step, e.outcome) for e in history.of(Answered)] == [(1, "ok"), (1, "ok"), (2, "ok")]


def test_an_agent_may_give_up_after_a_restart(run: Callable[..., History], agent: FedDriver) -> None:
    script = Script("shopping", CALLS, after_restart=AfterRestart.GIVE_UP)
    assert run(agent, None, "shop.buy.2=crash-before", script).claim == "raised"
    assert run(agent, None, "", script).claim == "completed", "only then"


def test_an_agent_may_decide_otherwise_after_a_restart(run: Callable[..., History], agent: FedDriver) -> None:
    script = Script("shopping", CALLS, after_restart=(ToolCall("buy", {"item": "salt"}, "c3"),))
    history = run(agent, None, "shop.buy.2=crash-before", script)
    assert [c.first.args["item"] for c in history.calls] == ["tea", "milk", "salt"]


def test_calls_of_one_turn_are_all_asked_before_one_is_answered(
    run: Callable[..., History], agent: FedDriver
) -> None:
    history = run(agent, None, "", Script("shopping", (CALLS,)))
    told = [type(e).__name__ for e in history.events if isinstance(e, Asked | Answered)]
    assert told == ["Asked", "Asked", "Answered", "Answered"]


# Exploring --------------------------------------------------------------------------------------------------


def test_every_call_and_every_write_of_every_process_is_died_at(shop: System, bank: System) -> None:
    store = Store()

    def body(world: Any) -> None:
        write = store.fresh(world)
        write("intent")
        world.direct.shop.buy(item="tea", key="k")
        write("done")

    def recover(world: Any) -> None:
        if store.lines != ["intent", "done"]:
            write = store.tapped(world)
            if not store.lines:
                write("intent")
            world.direct.shop.buy(item="tea", key="k")
            write("done")

    driver = CallableDriver(body, recover)
    subject = Subject("toy", driver, {"shop": shop, "bank": bank}, checks())
    campaign = explore(subject, Settings(families=("crash",)))
    assert not campaign.errors
    assert [finding.says for finding in campaign.findings] == []
    assert campaign.levels[1].run == 4 + 3
    assert campaign.levels[2].reachable > 30
    faults = {(where.operation, fault) for where, fault in campaign.cells}
    assert {("journal.append", "crash-before"), ("journal.append", "crash-after")} <= faults


def test_a_saga_that_begins_again_after_a_crash_is_found_out(shop: System, bank: System) -> None:
    def body(world: Any) -> None:
        world.direct.shop.buy(item="tea")

    subject = Subject("toy", CallableDriver(body, body), {"shop": shop, "bank": bank}, checks())
    campaign = explore(subject, Settings(faults=1, families=("crash",)))
    assert "applied-once" in {finding.check for finding in campaign.findings}


def test_runs_with_a_crash_are_the_same_each_time(shop: System, bank: System) -> None:
    async def body(world: Any) -> None:
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 1) for _ in range(2)))
        world.direct.shop.buy(item="tea")

    async def recover(_: Any) -> None:
        return None

    with Runner(WorldHandle({"shop": shop, "bank": bank}), CallableDriver(body, recover)) as runner:
        first = runner.run(OPAQUE, Plan.parse("shop.buy.1=crash-after")).events
        runner.run(OPAQUE, EMPTY)
        assert runner.run(OPAQUE, Plan.parse("shop.buy.1=crash-after")).events == first
