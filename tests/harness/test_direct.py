"""Direct taps: operations of a system as methods, and callables of the user's with a tap around them."""

from __future__ import annotations

import asyncio
import functools
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._model.effect import Binding
from sagaproof._model.event import Applied, Called, Told
from sagaproof._model.point import Phase
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError

Under = Callable[..., WorldHandle]


def calls(world: WorldHandle) -> list[Called]:
    return [event for event in world.state.log if isinstance(event, Called)]


def effects(world: WorldHandle) -> list[Any]:
    return [event.effect for event in world.state.log if isinstance(event, Applied)]


# Operations of a system -------------------------------------------------------------------------------------


def test_an_operation_is_a_method_that_returns_its_answer(under: Under) -> None:
    world = under()
    assert world.direct.shop.buy(item="tea", amount=3)["amount"] == 3
    assert world.direct.bank.release.__name__ == "release"


def test_a_refusal_is_an_error_with_status_code_and_message(under: Under) -> None:
    world = under()
    with pytest.raises(ToolError, match="409 sold_out: there is none left") as caught:
        world.direct.shop.buy(item="sold out")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.status, error.code, error.message) == (409, "sold_out", "there is none left")


def test_caller_and_service_share_no_mutable_value(under: Under) -> None:
    world = under()
    order = world.direct.shop.buy(item="tea")
    order["item"] = "milk"
    assert world.shop.orders["o_1"]["item"] == "tea"


def test_key_and_version_go_beside_the_arguments(under: Under) -> None:
    world = under()
    world.direct.shop.buy(item="tea", key="k")
    assert (calls(world)[0].key, calls(world)[0].args) == ("k", {"item": "tea"})
    assert world.direct.shop.lookup(operation="buy", key="k")["state"] == "applied"


def test_the_error_of_a_fault_is_tied_to_its_call(under: Under) -> None:
    world = under("shop.send.2=timeout")
    world.direct.shop.send(order="a")
    with pytest.raises(TimeoutError) as caught:
        world.direct.shop.send(order="b")
    assert caught.value.sagaproof_call == 1  # type: ignore[attr-defined]


def test_unknown_systems_and_operations_name_what_there_is(under: Under) -> None:
    world = under()
    with pytest.raises(AttributeError, match="there is no system 'crm'; the world has shop, bank, tools"):
        _ = world.direct.crm
    with pytest.raises(AttributeError, match="bank has no operation 'lend'; it has hold, release"):
        _ = world.direct.bank.lend
    with pytest.raises(AttributeError, match=r"the world has no system 'shops'. Did you mean 'shop'\?"):
        _ = world.shops


# Callables of the user's ------------------------------------------------------------------------------------


def test_the_success_of_a_callable_is_an_effect_with_reference_and_amount(under: Under) -> None:
    world = under()

    def pay(order: str, cents: int) -> dict[str, str]:
        return {"payment": f"for {order}", "left": f"{cents - 250}"}

    tap = world.tool(pay, cls=4, ref="payment", amount="cents")
    assert tap("o_1", cents=250) == {"payment": "for o_1", "left": "0"}
    (effect,) = effects(world)
    assert (effect.full, effect.ref, effect.amount, effect.args) == (
        "tools.pay", "for o_1", 250, {"order": "o_1", "cents": 250},
    )  # fmt: skip
    assert [str(call.point) for call in calls(world)] == ["tools.pay.1"]


def test_a_tap_looks_like_what_it_wraps(under: Under) -> None:
    def pay(order: str) -> None:
        """Pay an order."""

    tap = under().tool(pay, cls=4)
    assert (tap.__name__, tap.__doc__, inspect.signature(tap)) == (
        "pay",
        "Pay an order.",
        inspect.signature(pay),
    )

    async def fetch() -> None: ...

    assert inspect.iscoroutinefunction(under().tool(fetch, cls=1))


def test_a_reading_callable_leaves_no_effect(under: Under) -> None:
    world = under()
    assert world.tool(lambda: 42, cls=1, name="look")() == 42
    assert effects(world) == []
    assert calls(world)[0].point.operation == "tools.look"


def test_a_callable_is_not_run_where_the_fault_says_that_it_is_not(under: Under) -> None:
    world = under("tools.pay.1=503,tools.pay.1:2=lost")
    ran: list[str] = []
    pay = world.tool(ran.append, cls=4, name="pay")
    with pytest.raises(ToolError, match="503"):
        pay("o_1")
    assert ran == []
    with pytest.raises(TimeoutError):
        pay("o_1")
    assert ran == ["o_1"]


def test_a_late_callable_is_run_later(under: Under) -> None:
    world = under("tools.pay.1=late-end")
    ran: list[str] = []
    pay = world.tool(ran.append, cls=4, name="pay")
    with pytest.raises(TimeoutError):
        pay("o_1")
    assert ran == []
    world.gate.land_everything()
    assert (ran, len(effects(world))) == (["o_1"], 1)


def test_a_callable_delivered_twice_is_run_twice_and_answers_once(under: Under) -> None:
    world = under("tools.count.1=duplicate")
    ran: list[int] = []

    def count() -> int:
        ran.append(1)
        return len(ran)

    assert world.tool(count, cls=4)() == 1
    assert len(ran) == 2
    assert [effect.environment for effect in effects(world)] == [False, True]


def test_any_signature_can_be_called(under: Under) -> None:
    world = under()

    def pay(order: str, /, *cents: int, note: str = "", **more: object) -> tuple[object, ...]:
        return (order, cents, note, more)

    tap = world.tool(pay, cls=4)
    assert tap("o_1", 1, 2, note="n", x=3) == ("o_1", (1, 2), "n", {"x": 3})
    with pytest.raises(TypeError, match="order"):
        tap()


# Undos ------------------------------------------------------------------------------------------------------


def pay(order: str) -> dict[str, str]:
    return {"payment": f"p_{order}"}


def refund(payment: str) -> None: ...


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize("undo_first", [True, False])
def test_an_undo_is_linked_in_whatever_order_the_two_are_wrapped(
    under: Under, *, by_name: bool, undo_first: bool
) -> None:
    world = under()
    undo = "refund" if by_name else refund
    if undo_first:
        take_back = world.tool(refund, cls=4)
        do = world.tool(pay, cls=4, undo=undo, ref="payment")
    else:
        do = world.tool(pay, cls=4, undo=undo, ref="payment")
        take_back = world.tool(refund, cls=4)
    take_back(do("o_1")["payment"])
    assert [(call.phase, call.undoes) for call in calls(world)] == [
        (Phase.FORWARD, None), (Phase.UNDO, Binding(0, 0)),
    ]  # fmt: skip
    assert [effect.undoes for effect in effects(world)] == [None, 0]
    assert len(world.tools.effects) == 0


@pytest.mark.parametrize("how", ["the tap", "the callable", "the name"])
def test_an_undo_that_has_another_name_as_a_tool_is_found_all_the_same(under: Under, how: str) -> None:
    world = under()
    take_back = world.tool(refund, cls=4, name="give_back")
    undo: Any = {"the tap": take_back, "the callable": refund, "the name": "give_back"}[how]
    do = world.tool(pay, cls=4, undo=undo, ref="payment")
    take_back(do("o_1")["payment"])
    assert calls(world)[1].undoes == Binding(0, 0)


def test_one_undo_may_serve_several_tools(under: Under) -> None:
    world = under()
    rent = world.tool(pay, cls=4, undo="refund", ref="payment", name="rent")
    do = world.tool(pay, cls=4, undo="refund", ref="payment")
    take_back = world.tool(refund, cls=4)
    rent("a")
    do("b")
    take_back("p_a")
    take_back("p_b")
    assert [call.undoes for call in calls(world)[2:]] == [Binding(0, 0), Binding(1, 1)]


def test_an_undo_of_what_was_never_done_is_an_effect_of_its_own(under: Under) -> None:
    world = under()
    world.tool(pay, cls=4, undo="refund", ref="payment")
    world.tool(refund, cls=4)("p_x")
    assert calls(world)[0].undoes is None


def test_a_tool_that_tells_a_person_escalates(under: Under) -> None:
    world = under()
    world.tool(str.upper, cls=2, escalates=True, name="page")("help")
    assert calls(world)[0].phase is Phase.ESCALATE


# Names ------------------------------------------------------------------------------------------------------


def test_two_tools_cannot_have_one_name(under: Under) -> None:
    world = under()
    world.tool(pay, cls=4)
    with pytest.raises(UsageError, match=r"two tools are called 'pay'. Pass name="):
        world.tool(pay, cls=4)


@pytest.mark.parametrize("fn", [lambda: None, functools.partial(pay, "o_1")])
def test_a_callable_without_a_usable_name_needs_one(under: Under, fn: Any) -> None:
    with pytest.raises(UsageError, match=r"has no usable name. Pass name="):
        under().tool(fn, cls=4)
    assert callable(under().tool(fn, cls=4, name="fine"))


def test_an_undo_without_a_name_is_found_by_what_it_is(under: Under) -> None:
    world = under()
    undo = functools.partial(refund, payment="p_o_1")
    do = world.tool(pay, cls=4, undo=undo, ref="payment")
    take_back = world.tool(undo, cls=4, name="give_back")
    do("o_1")
    take_back(payment="p_o_1")
    assert calls(world)[1].undoes == Binding(0, 0)


def test_each_run_wraps_its_own_tools(under: Under) -> None:
    under().tool(pay, cls=4)
    under().tool(pay, cls=4)


# Async ------------------------------------------------------------------------------------------------------


async def pay_soon(order: str) -> dict[str, str]:
    await asyncio.sleep(0)
    return {"payment": f"p_{order}"}


def test_an_async_callable_is_awaited_and_then_applied(under: Under) -> None:
    world = under()
    tap = world.tool(pay_soon, cls=4, ref="payment")
    assert asyncio.run(tap("o_1")) == {"payment": "p_o_1"}
    assert [effect.ref for effect in effects(world)] == ["p_o_1"]


def test_async_calls_that_overlap_keep_their_own_answers(under: Under) -> None:
    world = under()
    tap = world.tool(pay_soon, cls=4, ref="payment")

    async def both() -> list[dict[str, str]]:
        return list(await asyncio.gather(tap("a"), tap("b")))

    assert asyncio.run(both()) == [{"payment": "p_a"}, {"payment": "p_b"}]
    assert [(effect.call, effect.ref) for effect in effects(world)] == [(0, "p_a"), (1, "p_b")]


@pytest.mark.parametrize(("fault", "runs"), [("503", 0), ("lost", 1), ("garbage", 1), ("duplicate", 2)])
def test_an_async_callable_is_run_as_often_as_the_fault_says(under: Under, fault: str, runs: int) -> None:
    world = under(f"tools.count.1={fault}")
    ran: list[int] = []

    async def count() -> int:
        ran.append(1)
        return len(ran)

    tap = world.tool(count, cls=4)
    try:
        assert asyncio.run(tap()) == 1
    except (ToolError, OSError):
        assert fault != "duplicate"
    assert (len(ran), len(effects(world))) == (runs, runs)


def test_an_async_callable_that_raises_is_told_as_raised_and_leaves_nothing(under: Under) -> None:
    world = under()

    async def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(world.tool(broken, cls=4)())
    assert [event.learnt for event in world.state.log if isinstance(event, Told)] == ["raised"]
    assert effects(world) == []


def test_an_async_callable_that_breaks_only_the_second_time_has_answered(under: Under) -> None:
    world = under("tools.count.1=duplicate")
    ran: list[int] = []

    async def count() -> int:
        ran.append(1)
        return 1 // (2 - len(ran))

    assert asyncio.run(world.tool(count, cls=4)()) == 1
    assert (len(ran), len(effects(world)), len(world.tools.outcomes)) == (2, 1, 0)


# The world itself -------------------------------------------------------------------------------------------


def test_the_folder_of_a_run_is_empty_at_its_beginning(under: Under) -> None:
    path = under().path
    (path / "x").write_text("x", encoding="utf-8")
    world = under()
    assert list(world.path.iterdir()) == []
    assert not path.exists()
    last = world.path
    world.close()
    assert not last.exists()


def test_the_systems_of_a_world_are_its_attributes(under: Under) -> None:
    world = under()
    assert {"shop", "bank", "tools"} <= set(dir(world))
    assert world.clock is world.state.clock


def test_a_fresh_gate_has_no_faults(under: Under) -> None:
    world = under("shop.send.1=503")
    world.begin(world.fresh_gate())
    assert world.direct.shop.send(order="a")["id"] == "p_1"
