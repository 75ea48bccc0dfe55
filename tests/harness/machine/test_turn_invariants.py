"""A user's invariant of a machine is judged after each turn: what is wrong only for a while is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import pytest
from tests.harness.machine.till import Seller, Till

from sagaproof import AgentMachine, Script, ToolCall, World
from sagaproof.machine import Wait


def is_below(most: int) -> Callable[[World], str]:
    def at_most(world: World) -> str:
        amount = sum(row["amount"] for row in world.till.sales.rows.values() if row["status"] == "open")
        return f"{amount} are sold" if amount > most else ""

    return at_most


class Selling(AgentMachine):
    agent = Seller
    systems = (Till,)
    tools: ClassVar = {"sell": {"amount": [5]}}
    world_invariants: ClassVar[Sequence[Callable[[World], object]]] = (is_below(9),)


def sales(count: int) -> Script:
    calls = tuple(ToolCall("sell", {"amount": 5}, f"c{n}") for n in range(1, count + 1))
    return Script("found", (*calls, Wait(1.0)), give_up_after=count + 1)


def test_what_is_wrong_between_two_turns_is_found_though_it_is_undone() -> None:
    with pytest.raises(AssertionError, match=r"at_most does not hold: 10 are sold") as caught:
        Selling.replay(sales(2))
    assert "between two turns, after the agent was told of its call 2, sell" in str(caught.value)


def test_what_holds_after_each_turn_is_silent() -> None:
    Selling.replay(sales(1))


def test_without_invariants_nobody_looks() -> None:
    class Idle(Selling):
        world_invariants = ()

    with Idle._trials() as trials:
        trials.fault_free(sales(1))
        assert trials.runner.world.gate.after_turn is None
