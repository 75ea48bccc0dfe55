"""Nothing irreversible before all else is settled, and nothing undone after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import ABSENT, Call, Found, Outcome, PivotView, Retry, Runtime, Saga

if TYPE_CHECKING:
    from tests.saga.conftest import World


def start(world: World, *, before_pivot: Callable[[PivotView], Any] | None = None, **mail: Any) -> Saga:
    tools = [
        world.tool("credit", 4, undo=world.undo_by_ref),
        world.tool("note", 3, undo=world.undo_by_ref, forward_only=True),
        world.tool("stamp", 2),
        world.tool("mail", 5, **mail),
    ]
    runtime = Runtime(
        tools, journal=world, desk=world, desk_retry=Retry(2, wait_s=0), before_pivot=before_pivot
    )
    return runtime.start("order")


def call(saga: Saga, tool: str, what: str = "w") -> Outcome:
    return saga.call(tool, {"what": what}).outcome


def test_an_irreversible_call_waits_until_nothing_is_unknown(world: World) -> None:
    world.lasting = {"credit": "lost/all"}
    saga = start(world)
    assert call(saga, "credit") is Outcome.UNKNOWN
    assert call(saga, "mail") is Outcome.FAILED
    world.lasting = {}
    assert call(saga, "credit") is Outcome.OK  # the same intent again
    assert call(saga, "mail") is Outcome.OK


def test_an_irreversible_call_goes_alone_in_its_turn(world: World) -> None:
    results = start(world).call_all([Call("credit", {"what": "c"}), Call("mail", {"what": "m"})])
    assert [result.outcome for result in results] == [Outcome.OK, Outcome.FAILED]


def test_the_agent_hears_of_a_call_that_was_not_applied_before_the_irreversible_one(world: World) -> None:
    tools = [
        world.tool("credit", 4, undo=world.undo_by_ref, fence=lambda _step: fences.pop(0)()),
        world.tool("mail", 5),
    ]
    fences: list[Callable[[], None]] = [_fail, _fail, _fail, lambda: None]
    saga = Runtime(tools, journal=world, desk=world).start("order")
    world.lasting = {"credit": "down/all"}
    assert call(saga, "credit") is Outcome.UNKNOWN
    refused = saga.call("mail", {"what": "m"})
    assert refused.outcome is Outcome.FAILED
    assert "not applied after all: credit" in refused.text
    assert call(saga, "mail") is Outcome.OK


def _fail() -> None:
    raise TimeoutError


@pytest.mark.parametrize(
    ("said", "outcome"), [(None, Outcome.OK), ("no stock", Outcome.FAILED), (False, Outcome.FAILED)]
)
def test_the_users_check_holds_an_irreversible_call_back(
    world: World, said: object, outcome: Outcome
) -> None:
    seen: list[PivotView] = []

    def check(view: PivotView) -> Any:
        seen.append(view)
        return said

    saga = start(world, before_pivot=check)
    call(saga, "credit")
    assert call(saga, "mail") is outcome
    assert (seen[0].tool, [step.ref for step in seen[0].done]) == ("mail", ["credit-1"])


def test_a_check_that_fails_has_not_said_yes(world: World) -> None:
    assert call(start(world, before_pivot=lambda _view: 1 / 0), "mail") is Outcome.FAILED
    assert world.effects == []


def test_past_the_pivot_only_what_nobody_will_undo(world: World) -> None:
    saga = start(world)
    call(saga, "mail")
    assert call(saga, "credit") is Outcome.FAILED
    assert call(saga, "note") is Outcome.OK
    assert call(saga, "stamp") is Outcome.OK
    assert saga.finish().status == "escalated"  # the credit was wanted, and is not there


def test_a_failure_past_the_pivot_that_was_made_good_is_none(world: World) -> None:
    saga = start(world)
    call(saga, "mail")
    world.lasting = {"stamp": "refuse/all"}
    assert call(saga, "stamp") is Outcome.FAILED
    world.lasting = {}
    assert call(saga, "stamp") is Outcome.OK
    assert saga.finish().status == "completed"


def test_a_failure_past_the_pivot_calls_for_a_person(world: World) -> None:
    saga = start(world)
    call(saga, "credit")
    call(saga, "mail")
    world.lasting = {"stamp": "refuse/all"}
    call(saga, "stamp")
    ending = saga.finish()
    assert ending.status == "escalated"
    assert ending.case is not None
    assert ending.case.pivot == "call_2"
    assert world.undos == []


def test_giving_up_past_the_pivot_undoes_nothing(world: World) -> None:
    saga = start(world)
    call(saga, "credit")
    call(saga, "mail")
    assert saga.give_up("changed my mind").status == "escalated"
    assert world.undos == []


def test_an_irreversible_call_of_unknown_outcome_is_the_pivot(world: World) -> None:
    saga = start(world)
    call(saga, "credit")
    world.lasting = {"mail": "lost/all"}
    assert call(saga, "mail") is Outcome.UNKNOWN
    assert call(saga, "credit", "more") is Outcome.FAILED
    assert saga.give_up().status == "escalated"
    assert world.undos == []


def test_a_refused_irreversible_call_is_no_pivot(world: World) -> None:
    saga = start(world)
    call(saga, "credit")
    world.lasting = {"mail": "refuse/all"}
    assert call(saga, "mail") is Outcome.FAILED
    assert saga.give_up().status == "compensated"
    assert world.undos == ["credit-1"]


@pytest.mark.parametrize("fault", ["late/all", "down/all", "lost/all"])
def test_a_fence_tells_an_ambiguous_pivot_from_none(world: World, fault: str) -> None:
    saga = start(world, fence=world.fence)
    call(saga, "credit")
    world.lasting = {"mail": fault}
    call(saga, "mail")
    happened = fault == "lost/all"
    assert (saga.give_up().status == "escalated") is happened
    world.settle()
    assert any(effect.name == "mail" for effect in world.effects) is happened


def test_an_unknown_irreversible_call_is_looked_up_once_more_when_the_saga_is_given_up(world: World) -> None:
    seen = iter([ABSENT, Found({"id": "mail-1"})])
    saga = start(world, lookup=lambda _step: next(seen))
    world.lasting = {"mail": "lost/all"}
    assert call(saga, "mail") is Outcome.UNKNOWN
    ending = saga.give_up()
    assert [step.outcome for step in ending.steps] == ["ok"]
