"""What is asked for again under a new id is one intent while the agent may not know what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import Outcome, Runtime, Saga

if TYPE_CHECKING:
    from tests.saga.conftest import World

ARGS = {"what": "a"}


def runtime(world: World) -> Runtime:
    hooks: dict[str, Any] = {"undo": world.undo_by_ref, "lookup": world.look_up}
    tools = [world.tool("a", 4, **hooks), world.tool("b", 4, **hooks), world.tool("mail", 5)]
    return Runtime(tools, journal=world, desk=world)


def restarted(world: World) -> Saga:
    """The saga in a process that knows nothing but the journal."""
    world.lasting = {}
    (saga,) = runtime(world).recover()
    return saga


def dies(world: World, crash: type[BaseException], saga: Saga, point: str, tool: str, call_id: str) -> None:
    world.lasting = {point: "die-after/all"}
    with pytest.raises(crash):
        saga.call(tool, {"what": tool}, call_id)


@pytest.mark.parametrize("point", ["a", "journal outcome"])
def test_a_call_that_was_done_as_the_process_died_is_not_made_again_under_a_new_id(
    world: World, crash: type[BaseException], point: str
) -> None:
    dies(world, crash, runtime(world).start("order"), point, "a", "x")
    again = restarted(world).call("a", ARGS, "y")
    assert (again.outcome, again.value) == (Outcome.OK, {"id": "a-1"})
    assert [effect.key for effect in world.effects] == ["order/x"]


def test_the_new_id_is_known_from_then_on(world: World, crash: type[BaseException]) -> None:
    dies(world, crash, runtime(world).start("order"), "a", "a", "x")
    saga = restarted(world)
    first = saga.call("a", ARGS, "y")
    assert saga.call("a", ARGS, "y") == first
    assert restarted(world).call("a", ARGS, "y") == first
    assert len(world.effects) == 1


def test_an_agent_that_was_told_may_mean_the_same_a_second_time(world: World) -> None:
    saga = runtime(world).start("order")
    assert saga.call("a", ARGS, "x").ok
    assert saga.call("a", ARGS, "y").ok
    assert [effect.key for effect in world.effects] == ["order/x", "order/y"]


@pytest.mark.parametrize("call_id", ["x", "y"])
def test_so_may_one_that_was_told_only_after_a_restart(
    world: World, crash: type[BaseException], call_id: str
) -> None:
    dies(world, crash, runtime(world).start("order"), "a", "a", "x")
    saga = restarted(world)
    saga.call("a", ARGS, call_id)
    saga.call("a", ARGS, "z")
    assert [effect.key for effect in world.effects] == ["order/x", "order/z"]


def test_who_has_asked_for_more_since_has_heard_of_what_came_before(
    world: World, crash: type[BaseException]
) -> None:
    saga = runtime(world).start("order")
    saga.call("a", ARGS, "x")
    dies(world, crash, saga, "b", "b", "y")
    restarted(world).call("a", ARGS, "z")
    assert [effect.key for effect in world.effects] == ["order/x", "order/y", "order/z"]


def test_another_call_of_an_agent_that_was_not_told_does_not_say_that_it_was(
    world: World, crash: type[BaseException]
) -> None:
    dies(world, crash, runtime(world).start("order"), "a", "a", "x")
    dies(world, crash, restarted(world), "b", "b", "y")
    assert restarted(world).call("a", ARGS, "z").ok
    assert [effect.key for effect in world.effects] == ["order/x", "order/y"]


def test_what_was_found_out_meanwhile_is_told_to_who_asks_again(world: World) -> None:
    fresh = runtime(world)
    saga = fresh.start("order")
    world.lasting = {"a": "lost/all", "look-up a": "down/all"}
    assert saga.call("a", ARGS, "x").outcome is Outcome.UNKNOWN
    world.lasting = {"mail": "refuse/all"}
    saga.call("mail", {"what": "mail"}, "m")  # what is open is looked up before
    assert saga.call("a", ARGS, "y").value == {"id": "a-1"}
    assert len(world.effects) == 1
