"""A saga that is cancelled at one of its calls: where it waits for it, or where it waits next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Applied, Called, Told
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner

Body = Callable[[Any], Awaitable[Any]]
Keep = Callable[[Any, str], Awaitable[Any]]
Under = Callable[[str], Any]


async def over_http(world: Any, name: str) -> Any:
    """Keep an item by a client of httpx."""
    assert world is not None
    async with httpx.AsyncClient(base_url="https://depot.test") as client:
        return (await client.post("/items", json={"name": name})).json()


async def by_a_tool(world: Any, name: str) -> Any:
    """Keep an item by a coroutine function behind `world.tool`."""
    return await world.keeping(name)


@pytest.fixture(params=[over_http, by_a_tool], ids=lambda way: way.__name__)
def keep(request: pytest.FixtureRequest) -> Keep:
    """`keep(world, name)`: a call that a saga waits for, on both ways there are."""
    way: Keep = request.param
    return way


@pytest.fixture
def run(under: Under, keep: Keep) -> Callable[..., History]:
    """`run(body, fault)`: the history of a saga with that fault at its first call that keeps an item."""

    def run(body: Body, fault: str, n: int = 1) -> History:
        at = f"depot.keep.{n}" if keep is over_http else f"tools.keep_it.{n}"
        world = under("")

        async def whole(handle: Any) -> Any:
            async def keep_it(name: str) -> Any:
                await asyncio.sleep(0.5)
                kept.append(name)
                return {"id": f"item_{len(kept)}", "name": name}

            kept: list[str] = []
            handle.keeping = handle.tool(keep_it, cls=3, ref="id")
            return await body(handle)

        with Runner(world, CallableDriver(whole)) as runner:
            return runner.run(OPAQUE, Plan.parse(f"{at}={fault}"))

    return run


def log(history: History) -> list[str]:
    """What calls there were, each with whether it was applied and what it was told."""
    applied = {event.effect.call for event in history.events if isinstance(event, Applied)}
    told = {event.call: event.learnt for event in history.events if isinstance(event, Told)}
    called = {event.call: event.args for event in history.events if isinstance(event, Called)}
    return [
        f"{args.get('name')}: {'applied' if call in applied else 'not applied'}, {told.get(call, 'untold')}"
        for call, args in called.items()
    ]


def ended(history: History) -> str:
    """How the saga ended: what it raised, or that it returned."""
    ending = history.ending
    return ending.errors[0].type if ending.errors else ending.how


def one_after_the_other(keep: Keep, seen: list[str]) -> Body:
    """Two calls, and an unwind that is itself a call; `seen` says how far it came, and what it met."""

    async def body(world: Any) -> None:
        for name in ("tea", "coffee"):
            try:
                seen.append((await keep(world, name))["name"])
            except asyncio.CancelledError:
                seen.append(f"cancelled at {name}")
                seen.append((await keep(world, "undo"))["name"])
                raise

    return body


@pytest.mark.parametrize(
    ("fault", "seen", "logged"),
    [
        ("cancel-before", ["cancelled at tea", "undo"], ["tea: not applied", "undo: applied"]),
        ("cancel", ["cancelled at tea", "undo"], ["tea: applied", "undo: applied"]),
        ("cancel-next", ["tea", "cancelled at coffee", "undo"], ["tea: applied", "undo: applied"]),
        ("cancel-twice", ["cancelled at tea"], ["tea: applied"]),
    ],
)
def test_it_is_cancelled_before_in_flight_where_it_waits_next_or_twice(
    run: Callable[..., History], keep: Keep, fault: str, seen: list[str], logged: list[str]
) -> None:
    saw: list[str] = []
    history = run(one_after_the_other(keep, saw), fault)
    assert saw == seen
    found = [line.partition(",")[0] for line in log(history) if not line.startswith("coffee")]
    assert found[: len(logged)] == logged
    assert ended(history) == "CancelledError"


def test_who_is_cancelled_is_told_nothing(run: Callable[..., History], keep: Keep) -> None:
    history = run(one_after_the_other(keep, []), "cancel")
    (told,) = (event for event in history.events if isinstance(event, Told) and event.call == 0)
    assert (told.ok, told.learnt, told.status, told.body) == (False, "it is cancelled", None, None)


# Tasks of the saga ------------------------------------------------------------------------------------------


def in_tasks(keep: Keep, seen: list[str], together: Callable[..., Awaitable[object]]) -> Body:
    """Three calls at once, each in a task of its own."""

    async def one(world: Any, name: str) -> None:
        try:
            seen.append((await keep(world, name))["name"])
        except asyncio.CancelledError:
            seen.append(f"cancelled at {name}")
            raise

    async def body(world: Any) -> None:
        await together(*(one(world, name) for name in ("tea", "coffee", "milk")))
        seen.append("went on")

    return body


async def gathered(*steps: Awaitable[object]) -> object:
    return await asyncio.gather(*steps)


async def grouped(*steps: Any) -> object:
    async with asyncio.TaskGroup() as group:
        for step in steps:
            group.create_task(step)
    return None


@pytest.mark.parametrize("together", [gathered, grouped])
@pytest.mark.parametrize("fault", ["cancel-before", "cancel"])
def test_the_whole_saga_is_cancelled_where_one_of_its_tasks_is_at_its_call(
    run: Callable[..., History], keep: Keep, together: Any, fault: str
) -> None:
    seen: list[str] = []
    history = run(in_tasks(keep, seen, together), fault)
    assert "cancelled at tea" in seen
    assert "went on" not in seen
    assert ended(history) == "CancelledError"
    assert log(history)[0].partition(",")[0] == f"tea: {'not ' if fault == 'cancel-before' else ''}applied"


async def waits_by_a_shield(world: Any, keep: Keep, seen: list[str]) -> None:
    """The call is made by a task that a cancellation does not reach; it is awaited to its end."""
    inner = asyncio.ensure_future(keep(world, "tea"))
    try:
        await asyncio.shield(inner)
    except asyncio.CancelledError:
        seen.append("cancelled")
        seen.append((await inner)["name"])
        raise


@pytest.mark.parametrize("fault", ["cancel", "cancel-before"])
def test_a_call_that_is_shielded_gets_its_answer(run: Callable[..., History], keep: Keep, fault: str) -> None:
    seen: list[str] = []
    history = run(lambda world: waits_by_a_shield(world, keep, seen), fault)
    if fault == "cancel-before" and keep is by_a_tool:
        assert seen == ["cancelled"], "its caller would have to run it, and is cancelled before"
    else:
        assert seen == ["cancelled", "tea"]
        assert log(history) == ["tea: applied, answer"]
    assert ended(history) == "CancelledError"


# The end ----------------------------------------------------------------------------------------------------


def test_a_saga_that_ends_before_it_waits_again_is_not_disturbed(
    run: Callable[..., History], keep: Keep
) -> None:
    async def body(world: Any) -> str:
        return str((await keep(world, "tea"))["name"] and "completed")

    history = run(body, "cancel-next")
    assert history.ending.how == "returned"
    assert log(history) == ["tea: applied, answer"]


@pytest.mark.parametrize(
    ("fault", "seen", "applied"),
    [
        ("cancel-before", ["cancelled"], 0),
        ("cancel", ["cancelled"], 1),
        ("cancel-next", ["answered", "cancelled"], 1),
        ("cancel-twice", ["cancelled"], 1),
    ],
)
def test_a_direct_call_of_an_asynchronous_saga_is_cancelled_at_once_or_where_it_waits_next(
    under: Under, fault: str, seen: list[str], applied: int
) -> None:
    saw: list[str] = []

    async def body(handle: Any) -> None:
        try:
            handle.direct.depot.keep(name="tea")
            saw.append("answered")
            await asyncio.sleep(1.0)
            saw.append("went on")
        except asyncio.CancelledError:
            saw.append("cancelled")
            raise

    world = under("")
    with Runner(world, CallableDriver(body)) as runner:
        history = runner.run(OPAQUE, Plan.parse(f"depot.keep.1={fault}"))
    assert saw == seen
    assert sum(isinstance(event, Applied) for event in history.events) == applied
    assert ended(history) == "CancelledError"


@pytest.mark.parametrize("fault", ["cancel-before", "cancel", "cancel-next"])
def test_a_client_that_blocks_is_answered_and_the_saga_is_cancelled_where_it_next_awaits(
    under: Under, fault: str
) -> None:
    saw: list[str] = []

    async def body(_: Any) -> None:
        with httpx.Client(base_url="https://depot.test") as client:
            try:
                saw.append(client.post("/items", json={"name": "tea"}).json()["name"])  # noqa: ASYNC212  # it blocks
                await asyncio.sleep(1.0)
                saw.append("went on")
            except asyncio.CancelledError:
                saw.append("cancelled")
                raise

    with Runner(under(""), CallableDriver(body)) as runner:
        history = runner.run(OPAQUE, Plan.parse(f"depot.keep.1={fault}"))
    assert saw == ["tea", "cancelled"]
    assert ended(history) == "CancelledError"
