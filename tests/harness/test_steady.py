"""What a tool takes and gives is compared by what it looks like, where it cannot be compared otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from sagaproof import World, explore
from sagaproof._model.steady import alike, steady
from sagaproof.errors import UsageError


class Receipt:
    """An answer as clients give it, without `__eq__`."""

    id = "r1"


class Told:
    """The same, with what it is about in its `repr`."""

    def __init__(self, about: str) -> None:
        self.about = about

    def __repr__(self) -> str:
        return f"Told({self.about})"


def call(explored: Any) -> None:
    """Explore: the world is not the caller's to give."""
    explored()


MADE: list[Callable[[], Any]] = [
    lambda: float("nan"),
    lambda: Decimal("NaN"),
    object,
    Receipt,
    lambda: (n for n in range(3)),
    lambda: {"a": [Receipt(), float("nan")]},
]


@pytest.mark.parametrize("make", MADE)
def test_what_is_made_the_same_way_is_alike(make: Callable[[], Any]) -> None:
    one, other = make(), make()

    assert one != other
    assert alike(one, other)
    assert steady(one) == steady(other)


@pytest.mark.parametrize(("one", "other"), [(1, 2), (Told("a"), Told("b")), ({"a": Told("a")}, {"a": None})])
def test_what_looks_different_is_not_alike(one: object, other: object) -> None:
    assert not alike(one, other)
    assert steady(one) != steady(other)


def test_what_compares_is_kept_as_it_is() -> None:
    value = {"a": Decimal("1.10"), "b": [None, True, b"x"], "c": {1, 2}}

    assert steady(value) is value


@pytest.mark.parametrize("make", MADE)
def test_a_saga_whose_tools_give_and_take_such_values_is_explored(make: Callable[[], Any]) -> None:
    @explore(systems=[], faults=1, families=["slow", "duplicate"])
    def body(world: World) -> None:
        keep = world.tool(lambda what: what, cls=2, name="keep", idempotent=True)
        keep(make())

    call(body)


def test_the_tool_gets_what_it_was_given_and_a_condition_sees_through() -> None:
    given: list[object] = []
    receipt = Receipt()

    @explore(
        systems=[],
        faults=1,
        families=["slow"],
        when={"tools.keep": lambda call: call.args["what"].id == "r1"},
    )
    def body(world: World) -> None:
        def keep(what: object) -> None:
            given.append(what)

        world.tool(keep, cls=1)(receipt)

    call(body)

    assert given
    assert all(one is receipt for one in given)


class Called:
    """An object that is called like a coroutine function."""

    async def __call__(self, what: str) -> str:
        await asyncio.sleep(0)
        return what


def test_an_object_that_is_called_like_a_coroutine_function_is_awaited() -> None:
    given: list[object] = []

    @explore(systems=[], faults=0)
    async def body(world: World) -> None:
        given.append(await world.tool(Called(), cls=2, name="keep")("bolt"))
        kept: list[object] = []

        class Store:
            async def __call__(self, what: str) -> None:
                kept.append(what)

        await world.durable(Store(), name="store.keep")("bolt")
        assert kept == ["bolt"]

    call(body)

    assert set(given) == {"bolt"}


def test_an_answer_that_was_not_awaited_is_told_from_one(recwarn: pytest.WarningsRecorder) -> None:
    async def never_run() -> None:
        raise AssertionError

    def ship() -> Any:
        return never_run()

    @explore(systems=[], faults=0)
    async def body(world: World) -> None:
        with pytest.raises(UsageError, match="'ship' is no coroutine function"):
            world.tool(ship, cls=3)()

    call(body)

    assert not recwarn
