"""The gate: which arrivals are one logical call, what it is for, and where the limits are."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._model.effect import Binding
from sagaproof._model.event import Applied, Called, Landed, Rejected, Told
from sagaproof._model.point import Phase
from sagaproof._taps.direct import ToolError
from sagaproof._taps.gate import DEFAULT_TIMEOUT_S, LATENCY_S
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.delivery import Delivery
from sagaproof.errors import UsageError

Under = Callable[..., WorldHandle]


def called(world: WorldHandle) -> list[Called]:
    return [event for event in world.state.log if isinstance(event, Called)]


def points(world: WorldHandle) -> list[str]:
    return [str(event.point) for event in called(world)]


def phases(world: WorldHandle) -> list[tuple[str, str]]:
    return [(event.point.operation, event.phase.value) for event in called(world)]


def try_to(call: Callable[[], object]) -> object:
    try:
        return call()
    except (ToolError, OSError) as error:
        return error


# Identity ---------------------------------------------------------------------------------------------------


def test_the_same_key_is_the_same_call_even_after_its_success(under: Under) -> None:
    world = under()
    for _ in range(3):
        world.direct.shop.buy(item="tea", key="k")
    assert points(world) == ["shop.buy.1", "shop.buy.1:2", "shop.buy.1:3"]
    assert [event.call for event in called(world)] == [0, 0, 0]


def test_the_same_key_with_other_arguments_is_the_same_call(under: Under) -> None:
    world = under()
    world.direct.shop.buy(item="tea", key="k")
    try_to(lambda: world.direct.shop.buy(item="milk", key="k"))
    assert points(world) == ["shop.buy.1", "shop.buy.1:2"]


def test_a_key_belongs_to_one_operation(under: Under) -> None:
    world = under()
    world.direct.shop.buy(item="tea", key="k")
    try_to(lambda: world.direct.shop.draft(text="tea", key="k"))
    assert points(world) == ["shop.buy.1", "shop.draft.1"]


def test_another_key_for_the_same_arguments_is_the_same_call_until_a_success_was_learnt(under: Under) -> None:
    world = under("shop.buy.1=lost")
    try_to(lambda: world.direct.shop.buy(item="tea", key="k1"))
    world.direct.shop.buy(item="tea", key="k2")
    world.direct.shop.buy(item="tea", key="k3")
    world.direct.shop.buy(item="tea", key="k2")
    assert points(world) == ["shop.buy.1", "shop.buy.1:2", "shop.buy.2", "shop.buy.1:3"]


def test_without_a_key_the_same_arguments_are_the_same_call_until_a_success_was_learnt(under: Under) -> None:
    world = under("shop.send.1=lost/2")
    for _ in range(4):
        try_to(lambda: world.direct.shop.send(order="o_1"))
    assert points(world) == ["shop.send.1", "shop.send.1:2", "shop.send.1:3", "shop.send.2"]


@pytest.mark.parametrize("fault", ["503", "lost", "garbage", "soft-error", "torn", "late-end"])
def test_only_a_success_that_was_learnt_ends_a_call(under: Under, fault: str) -> None:
    world = under(f"shop.send.1={fault}")
    for _ in range(2):
        try_to(lambda: world.direct.shop.send(order="o_1"))
    assert points(world) == ["shop.send.1", "shop.send.1:2"]


def test_other_arguments_are_another_call(under: Under) -> None:
    world = under("shop.send.1=503")
    try_to(lambda: world.direct.shop.send(order="o_1"))
    world.direct.shop.send(order="o_2")
    world.direct.shop.send(order="o_1")
    assert points(world) == ["shop.send.1", "shop.send.2", "shop.send.1:2"]
    assert [event.call for event in called(world)] == [0, 1, 0]


def test_an_undo_by_key_is_not_the_undo_by_reference(under: Under) -> None:
    world = under()
    world.direct.shop.undo_by_key("buy", "a")
    world.direct.shop.undo_by_key("buy", "b")
    try_to(lambda: world.direct.shop.cancel(order="a"))
    assert points(world) == ["shop.cancel.1", "shop.cancel.2", "shop.cancel.3"]
    assert [event.args for event in called(world)] == [{"by_key": "a"}, {"by_key": "b"}, {"order": "a"}]


def test_the_built_in_undo_called_by_its_name_is_an_undo_by_key(under: Under) -> None:
    world = under()
    world.direct.shop.draft(text="x", key="k")
    assert world.direct.shop.undo_draft(key="k") == {"state": "undone", "undone": True}
    assert len(world.shop.orders) == 0
    assert called(world)[-1].undoes == Binding(0, 0)


# What it is for ---------------------------------------------------------------------------------------------


def test_the_phase_of_a_call_follows_from_what_it_undoes(under: Under) -> None:
    world = under()
    shop = world.direct.shop
    order = shop.buy(item="tea")["id"]
    shop.get_order(order=order)
    shop.set_place(order=order, place="there")
    shop.set_place(order=order, place="here")
    shop.get_order(order=order)
    shop.cancel(order=order)
    shop.tell(text="done")
    shop.set_note(order=order, note="x")
    assert phases(world) == [
        ("shop.buy", "forward"), ("shop.get_order", "forward"), ("shop.set_place", "forward"),
        ("shop.set_place", "undo"), ("shop.get_order", "query"), ("shop.cancel", "undo"),
        ("shop.tell", "escalate"), ("shop.set_note", "forward"),
    ]  # fmt: skip


def test_an_undo_of_what_is_not_there_is_no_undo_unless_it_is_by_key(under: Under) -> None:
    world = under()
    try_to(lambda: world.direct.shop.cancel(order="o_9"))
    world.direct.shop.undo_by_key("buy", "k")
    assert phases(world) == [("shop.cancel", "forward"), ("shop.cancel", "undo")]
    assert called(world)[1].undoes == Binding(None, None)


def test_a_binding_is_fixed_at_the_first_arrival(under: Under) -> None:
    world = under("shop.cancel.1=lost")
    shop = world.direct.shop
    order = shop.buy(item="tea")["id"]
    for _ in range(2):
        try_to(lambda: shop.cancel(order=order))
    assert [event.undoes for event in called(world)] == [None, Binding(0, 0), Binding(0, 0)]


def test_an_undo_by_key_is_bound_to_the_call_even_where_nothing_was_applied(under: Under) -> None:
    world = under("shop.buy.1=503")
    try_to(lambda: world.direct.shop.buy(item="tea", key="k"))
    world.direct.shop.undo_by_key("buy", "k")
    assert called(world)[1].undoes == Binding(0, None)


def test_what_lands_between_the_binding_and_the_undo_is_what_it_takes_back(under: Under) -> None:
    world = under("shop.buy.1=late")
    try_to(lambda: world.direct.shop.buy(item="tea", key="k"))
    world.direct.shop.undo_by_key("buy", "k")
    effects = [event.effect for event in world.state.log if isinstance(event, Applied)]
    assert [(e.operation, e.undoes) for e in effects] == [("buy", None), ("cancel", 0)]


# Faults -----------------------------------------------------------------------------------------------------


def test_a_fault_is_met_by_the_call_of_its_number_alone(under: Under) -> None:
    world = under("shop.send.2=503")
    for order in ("a", "b", "c"):
        try_to(lambda order=order: world.direct.shop.send(order=order))  # type: ignore[misc]
    assert [event.fault for event in called(world)] == [None, "503", None]


def test_a_point_that_is_never_reached_is_counted_as_not_met(under: Under) -> None:
    world = under("shop.send.2=503,shop.send.1:2=503,shop.send.1=503")
    try_to(lambda: world.direct.shop.send(order="a"))
    assert {str(injection): met for injection, met in world.gate.injected.items()} == {
        "shop.send.1=503": 1, "shop.send.1:2=503": 0, "shop.send.2=503": 0,
    }  # fmt: skip


def test_a_fault_after_a_restart_waits_for_it(under: Under) -> None:
    world = under("shop.send.1@1=503")
    assert isinstance(try_to(lambda: world.direct.shop.send(order="a")), dict)
    world = under("shop.send.1@1=503")
    world.gate.process.restarts = 1
    assert isinstance(try_to(lambda: world.direct.shop.send(order="a")), ToolError)


def test_an_answer_torn_off_is_in_the_log_as_it_was_sent(under: Under) -> None:
    world = under("shop.send.1=torn")
    try_to(lambda: world.direct.shop.send(order="a"))
    (told,) = (event for event in world.state.log if isinstance(event, Told))
    assert (told.ok, told.status, told.body) == (False, 200, {"id": "p_1", "order": "a"})


def test_several_late_effects_land_in_the_order_they_were_sent(under: Under) -> None:
    world = under("shop.send.1=late-end,shop.send.2=late-end")
    for order in ("a", "b"):
        try_to(lambda order=order: world.direct.shop.send(order=order))  # type: ignore[misc]
    world.gate.land_everything()
    assert [event.call for event in world.state.log if isinstance(event, Landed)] == [0, 1]


def test_an_undo_that_is_itself_late_lands_after_its_caller_was_told(under: Under) -> None:
    world = under("shop.cancel.1=late-undo")
    order = world.direct.shop.buy(item="tea")["id"]
    try_to(lambda: world.direct.shop.cancel(order=order))
    kinds = [event.__class__.__name__ for event in world.state.log]
    assert kinds == ["Called", "Applied", "Told", "Called", "Told", "Applied", "Landed"]


# Limits and time --------------------------------------------------------------------------------------------


def test_a_call_takes_a_little_while_and_a_lost_one_as_long_as_the_default(under: Under) -> None:
    world = under("shop.send.2=lost")
    world.direct.shop.send(order="a")
    assert world.clock.elapsed == LATENCY_S
    try_to(lambda: world.direct.shop.send(order="b"))
    assert world.clock.elapsed == pytest.approx(LATENCY_S + DEFAULT_TIMEOUT_S)


def test_who_calls_too_often_is_stopped_and_stays_so(under: Under) -> None:
    world = under(calls_max=3)
    for _ in range(3):
        world.direct.shop.send(order="a")
    for _ in range(2):
        with pytest.raises(SagaStopped, match="made more than 3 calls"):
            world.direct.shop.send(order="a")
    assert len(world.shop.parcels) == 3


def test_arrivals_that_mean_no_operation_count_too(under: Under) -> None:
    world = under(calls_max=2)
    world.gate.turn_away()
    world.gate.turn_away()
    with pytest.raises(SagaStopped, match="more than 2 calls"):
        world.direct.shop.send(order="a")


def test_a_closed_gate_lets_nothing_through(under: Under) -> None:
    world = under()
    world.gate.close("called after its run had ended")
    with pytest.raises(SagaStopped, match="called after its run had ended"):
        world.direct.shop.send(order="a")
    assert (len(world.shop.parcels), world.state.log) == (0, [])


def test_an_unknown_operation_is_an_error_of_the_caller_with_the_nearest_name(under: Under) -> None:
    world = under()
    with pytest.raises(UsageError, match="shop has no operation 'by'") as caught:
        world.gate.call(world.shop, Delivery("by", {}))
    assert caught.value.advice == "Did you mean 'buy'?"


def test_the_place_of_a_call_is_where_the_user_made_it(under: Under) -> None:
    world = under()
    world.direct.shop.send(order="a")
    assert called(world)[0].site.rpartition(":")[0] == __file__
    world = under(sites=False)
    world.direct.shop.send(order="a")
    assert called(world)[0].site == ""


def test_calls_of_many_threads_are_each_counted_once(under: Under) -> None:
    world = under()
    threads = [threading.Thread(target=lambda i=i: world.direct.shop.send(order=str(i))) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(event.call for event in called(world)) == list(range(8))
    assert sorted(points(world)) == [f"shop.send.{n}" for n in range(1, 9)]
    assert len(world.shop.parcels) == 8


def test_calls_may_overlap_and_each_is_told_its_own_answer(under: Under) -> None:
    world = under()
    gate = world.gate
    first = gate.resolve(gate.admit(world.shop, Delivery("send", {"order": "a"})))
    second = gate.resolve(gate.admit(world.shop, Delivery("send", {"order": "b"})))
    gate.tell(second)
    gate.tell(first)
    told = [(e.call, e.body["order"]) for e in world.state.log if isinstance(e, Told)]
    assert told == [(1, "b"), (0, "a")]


def test_while_a_call_is_in_flight_its_repetition_is_its_second_attempt(under: Under) -> None:
    world = under()
    gate = world.gate
    reply = gate.resolve(gate.admit(world.shop, Delivery("send", {"order": "a"})))
    gate.resolve(gate.admit(world.shop, Delivery("send", {"order": "a"})))
    gate.tell(reply)
    assert points(world) == ["shop.send.1", "shop.send.1:2"]


def test_what_the_called_code_raises_is_told_as_raised(under: Under) -> None:
    world = under()

    def broken() -> None:
        raise ZeroDivisionError("by zero")

    tap: Any = world.tool(broken, cls=3)
    with pytest.raises(ZeroDivisionError):
        tap()
    (told,) = (event for event in world.state.log if isinstance(event, Told))
    assert (told.ok, told.learnt, told.status) == (False, "raised", None)
    assert told.body == {"error": {"code": "ZeroDivisionError", "message": "by zero"}}
    assert called(world)[0].phase is Phase.FORWARD


@pytest.mark.parametrize("fault", ["late", "late-undo", "late-end", "duplicate"])
def test_called_code_that_breaks_when_nobody_waits_for_it_breaks_no_other_call(
    under: Under, fault: str
) -> None:
    world = under(f"tools.pay.1={fault}")
    paid: list[str] = []

    def pay(order: str) -> dict[str, str]:
        if fault != "duplicate" or paid:
            raise ZeroDivisionError(order)
        paid.append(order)
        return {"id": order}

    tap: Any = world.tool(pay, cls=4, ref="id")
    answer = try_to(lambda: tap("o_1"))
    assert isinstance(answer, TimeoutError if fault != "duplicate" else dict)
    world.direct.shop.send(order="a")
    world.gate.land_everything()
    (rejected,) = (event for event in world.state.log if isinstance(event, Rejected))
    assert (rejected.code, rejected.late) == ("ZeroDivisionError", fault != "duplicate")
    landed = [event.outcome for event in world.state.log if isinstance(event, Landed)]
    assert landed == ([] if fault == "duplicate" else ["refused"])
