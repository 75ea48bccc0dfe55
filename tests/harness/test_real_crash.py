"""The real crash: what a process leaves behind that is killed, and what it takes along."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, ClassVar

import anyio
import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Applied, Called, Died, Heard, Noted, Notified, Restarted
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.operation import operation
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof.errors import UsageError

Body = Callable[[Any], Any]
Run = Callable[..., History]

BOTH = pytest.mark.parametrize("real", [False, True], ids=["simulated", "real"])


@pytest.fixture
def run(shop: System, bank: System) -> Run:
    """`run(body, recover, plan)`: the history of one run, whose processes are killed in earnest."""

    def run(body: Body, recover: Body, plan: str, *more: System, real: bool = True) -> History:
        world = WorldHandle({system.name: system for system in (shop, bank, *more)})
        with Runner(world, CallableDriver(body, recover), sites=False, real=real) as runner:
            history = runner.run(OPAQUE, Plan.parse(plan))
            world.close()
        assert history.killed is real
        return history

    return run


def effects(history: History) -> list[str]:
    return [event.effect.operation for event in history.of(Applied)]


# What is gone, and what is not ------------------------------------------------------------------------------


def test_nothing_runs_after_the_kill_neither_finally_nor_except(run: Run) -> None:
    def body(world: Any) -> None:
        try:
            world.direct.shop.buy(item="tea")
        finally:
            (world.path / "finally").touch()

    def recover(world: Any) -> str:
        return "refused" if (world.path / "finally").exists() else "completed"

    assert run(body, recover, "shop.buy.1=crash-after").claim == "completed"


KNOWN: list[str] = []


def test_what_was_kept_in_memory_is_gone(run: Run) -> None:
    def body(world: Any) -> None:
        KNOWN.append("order")
        world.direct.shop.buy(item="tea")

    def recover(_: Any) -> str:
        return "refused" if KNOWN else "completed"

    assert run(body, recover, "shop.buy.1=crash-after").claim == "completed"
    assert KNOWN == [], "nor does it come into the process of the test"


def test_files_and_databases_of_the_saga_live_on_without_a_tap(run: Run) -> None:
    """What was committed is there, what was not is rolled back, and no lock is left."""

    def opened(world: Any) -> sqlite3.Connection:
        return sqlite3.connect(world.path / "mine.sqlite", timeout=0)

    def body(world: Any) -> None:
        store = opened(world)
        store.execute("CREATE TABLE step (name TEXT)")
        store.execute("INSERT INTO step VALUES ('kept')")
        store.commit()
        store.execute("INSERT INTO step VALUES ('not committed')")
        world.direct.shop.buy(item="tea")

    def recover(world: Any) -> str:
        store = opened(world)
        store.execute("INSERT INTO step VALUES ('another')")
        store.commit()
        rows = store.execute("SELECT name FROM step").fetchall()
        store.close()
        return "completed" if rows[:2] == [("kept",), ("another",)] else "refused"

    assert run(body, recover, "shop.buy.1=crash-after").claim == "completed"


def test_set_up_by_python_and_time_outlive_the_process(run: Run) -> None:
    def body(world: Any) -> None:
        world.shop.orders.put("o_9", {"id": "o_9", "status": "open"})
        time.sleep(3600)
        world.direct.shop.buy(item="tea")

    def recover(world: Any) -> str:
        assert "o_9" in world.shop.orders
        return "completed" if world.clock.elapsed > 3600 else "refused"

    history = run(body, recover, "shop.buy.1=crash-before")
    assert history.claim == "completed", history.ending


@BOTH
def test_a_new_process_draws_other_numbers_and_the_same_in_each_run(run: Run, *, real: bool) -> None:
    def draw(world: Any) -> None:
        world.durable(lambda _: None)(random.random())
        world.direct.shop.buy(item="tea")

    one, other = (run(draw, draw, "shop.buy.1=crash-before", real=real) for _ in range(2))
    drawn = [event.record for event in one.of(Noted)]
    assert len(set(drawn)) == len(drawn) == 3
    assert one.events == other.events


# How it dies ------------------------------------------------------------------------------------------------


async def in_task_group(calls: list[Callable[[], Coroutine[Any, Any, None]]]) -> None:
    async with asyncio.TaskGroup() as group:
        for call in calls:
            group.create_task(call())


async def in_anyio_group(calls: list[Callable[[], Coroutine[Any, Any, None]]]) -> None:
    async with anyio.create_task_group() as group:
        for call in calls:
            group.start_soon(call)


async def in_group_that_is_swallowed(calls: list[Callable[[], Coroutine[Any, Any, None]]]) -> None:
    try:
        await in_task_group(calls)
    except* BaseException:  # noqa: BLE001  # swallowing it is the point
        await asyncio.sleep(1)


async def gathered(calls: list[Callable[[], Coroutine[Any, Any, None]]]) -> None:
    await asyncio.gather(*(call() for call in calls), return_exceptions=True)


@pytest.mark.parametrize("together", [in_task_group, in_anyio_group, in_group_that_is_swallowed, gathered])
@pytest.mark.parametrize("fault", ["crash-before", "crash-after"])
def test_parallel_siblings_die_alike_in_both_ways_whatever_their_group_makes_of_it(
    run: Run, together: Callable[..., Awaitable[None]], fault: str
) -> None:
    async def body(world: Any) -> str:
        def of(item: str) -> Callable[[], Coroutine[Any, Any, None]]:
            async def buy() -> None:
                try:
                    await asyncio.sleep(0)
                    world.direct.shop.buy(item=item)
                    await asyncio.sleep(5)
                    world.direct.shop.buy(item=f"more {item}")
                finally:
                    with suppress(Exception):
                        world.direct.shop.buy(item="consolation")

            return buy

        await together([of("tea"), of("milk"), of("salt")])
        return "completed"

    async def recover(_: Any) -> str:
        await asyncio.sleep(60)
        return "refused"

    plan = f"shop.buy.2={fault}"
    killed, simulated = run(body, recover, plan), run(body, recover, plan, real=False)
    assert killed.events == simulated.events
    assert effects(killed) == ["buy"] * (1 if fault == "crash-before" else 2)
    assert killed.claim == "refused"


def test_threads_and_tasks_in_the_background_are_gone(run: Run) -> None:
    def work(world: Any) -> None:
        time.sleep(1)
        world.direct.shop.buy(item="milk")

    def body(world: Any) -> None:
        thread = threading.Thread(target=threading.Event().wait, daemon=True)
        thread.start()
        world.direct.shop.buy(item="tea")

    def recover(_: Any) -> str:
        return "completed" if threading.active_count() == 1 else "refused"

    assert run(body, recover, "shop.buy.1=crash-after").claim == "completed"


@pytest.mark.parametrize("deaths", [1, 2, 3, 4])
def test_recoveries_are_killed_again_and_again(run: Run, deaths: int) -> None:
    def buy(world: Any) -> None:
        world.direct.shop.buy(item="tea")

    points = ["shop.buy.1", *(f"shop.buy.1:{n + 1}@{n}" for n in range(1, deaths))]
    plan = ",".join(f"{point}=crash-before" for point in points)
    killed, simulated = run(buy, buy, plan), run(buy, buy, plan, real=False)
    assert killed.events == simulated.events
    assert len(list(killed.of(Died))) == deaths
    assert len(list(killed.of(Restarted))) == deaths + 1, "once more at rest"


class Post(System):
    """Sends an event of each letter."""

    name: ClassVar[str] = "post"
    sends: ClassVar[tuple[str, ...]] = ("letter.sent",)

    letters = Table()

    @operation(cls=4, ref="id")
    def send(self, *, to: str) -> dict[str, Any]:
        """Send a letter."""
        row = {"id": self.ids.next("l"), "to": to}
        self.letters.put(row["id"], row)
        self.emit("letter.sent", row)
        return row


@pytest.mark.parametrize("swallows", [(), (BaseException,)], ids=["", "swallowed"])
def test_an_event_that_a_handler_died_over_comes_to_the_next_process(
    run: Run, swallows: tuple[type[BaseException], ...]
) -> None:
    def listen(world: Any) -> None:
        def on_letter(event: dict[str, Any]) -> str:
            try:
                world.direct.shop.buy(item=event["id"])
            except swallows:
                return "refused"
            return "completed"

        world.on_event(on_letter)

    def body(world: Any) -> str:
        listen(world)
        world.direct.post.send(to="ann")
        time.sleep(1)
        return "refused"

    def recover(world: Any) -> str:
        listen(world)
        time.sleep(1)
        return "refused"

    plan = "shop.buy.1=crash-after"
    killed, simulated = run(body, recover, plan, Post()), run(body, recover, plan, Post(), real=False)
    assert killed.events == simulated.events
    assert [event.point.attempt for event in killed.of(Notified)] == [1, 2]
    assert [event.claim for event in killed.of(Heard)] == ["completed"]


@BOTH
def test_a_new_process_wraps_its_callables_anew(run: Run, *, real: bool) -> None:
    def charge(order: str) -> str:
        return order

    def once(world: Any) -> None:
        world.tool(charge, cls=4, undo="refund", ref="order")("4921")
        world.tool(charge, cls=4, ref="order", name="refund")("4921")

    history = run(once, once, "tools.refund.1=crash-after", real=real)
    assert effects(history)[:2] == ["charge", "refund"]
    assert next(history.of(Applied)).effect.ref == "4921"
    assert history.effects[1].undoes == 0
    assert history.ending.errors == ()


# What cannot travel, and what must not happen ---------------------------------------------------------------


def test_what_cannot_be_copied_travels_by_its_text(run: Run) -> None:
    class Odd(Exception):
        def __init__(self, one: str, two: str) -> None:
            super().__init__(f"{one}, {two}")

    def body(world: Any) -> None:
        world.tool(lambda thing: f"{thing}", cls=4, ref="x", name="odd")(threading.Lock())
        world.direct.shop.buy(item="tea")

    def recover(_: Any) -> None:
        raise Odd("not", "so")

    history = run(body, recover, "shop.buy.1=crash-after")
    assert [(link.type, link.text) for link in history.ending.errors] == [("Odd", "not, so")]
    assert "lock" in repr(next(history.of(Called)).args)


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda: os._exit(3), "exit code 3"),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "signal SIGTERM"),
    ],
)
def test_a_saga_that_ends_its_own_process_is_an_error_that_says_how(
    run: Run, end: Callable[[], None], how: str
) -> None:
    with pytest.raises(UsageError, match=how):
        run(lambda _: end(), lambda _: None, "shop.buy.1=crash-after")


def test_errors_of_ours_and_outcomes_of_pytest_come_out_as_they_are(run: Run) -> None:
    def misuse(world: Any) -> None:
        world.direct.shop.buy(item="tea")
        raise UsageError("not like that", where="here", advice="Else.")

    with pytest.raises(UsageError, match=r"not like that \(here\)\. Else\."):
        run(misuse, misuse, "shop.buy.2=crash-after")
    with pytest.raises(pytest.skip.Exception, match="not today"):
        run(lambda _: pytest.skip("not today"), lambda _: None, "shop.buy.1=crash-after")


def test_threads_of_the_test_are_an_error_that_names_them(run: Run) -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait, name="poller")
    thread.start()
    try:
        with pytest.raises(UsageError, match="poller"):
            run(lambda _: None, lambda _: None, "shop.buy.1=crash-after")
    finally:
        ended.set()
        thread.join()


def test_without_fork_there_is_an_error_that_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(UsageError, match="this system cannot"):
        run(lambda _: None, lambda _: None, "shop.buy.1=crash-after")


def test_no_process_and_no_folder_is_left(run: Run) -> None:
    def body(world: Any) -> None:
        world.direct.shop.buy(item=str(world.path))

    history = run(body, body, "shop.buy.1=crash-after")
    paths = [event.args["item"] for event in history.of(Called)]
    assert len(set(paths)) == 1, "all processes of a run have the same folder"
    assert not os.path.exists(paths[0])  # noqa: PTH110  # a text
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
