"""The systems of a run together: names, hosts, one clock, one log of all that happened."""

from __future__ import annotations

from typing import Any

import pytest

from sagaproof._model.effect import Binding, Change
from sagaproof._model.event import Applied, Broke, Rejected, Wrote
from sagaproof._world.clock import START, Clock, Ids
from sagaproof._world.delivery import Delivery
from sagaproof._world.system import System
from sagaproof._world.world import World
from sagaproof.errors import HostClash, UsageError


@pytest.fixture
def state(shop: System, bank: System) -> World:
    return World([shop, bank])


def system(name: str, *hosts: str) -> System:
    found: System = type("Some", (System,), {"name": name, "hosts": hosts})()
    return found


def test_two_systems_cannot_answer_for_one_host() -> None:
    with pytest.raises(HostClash, match=r"host 'api.test' belongs to both 'one' and 'other'"):
        World([system("one", "api.test", "one.test"), system("other", "api.test")])


def test_two_systems_cannot_have_one_name() -> None:
    with pytest.raises(UsageError, match=r"two systems are called 'one'"):
        World([system("one", "a.test"), system("one", "b.test")])


def test_all_systems_share_clock_and_ids(state: World, shop: Any, bank: Any) -> None:
    state.clock.advance(5.0)
    assert shop.clock is bank.clock is state.clock
    assert shop.ids is bank.ids is state.ids


def test_operations_and_tables_are_known_by_their_full_names(state: World) -> None:
    assert {"shop.buy", "shop.lookup", "bank.hold", "shop.undo_draft"} <= state.operations.keys()
    assert {("shop", "orders"), ("bank", "holds")} <= state.tables.keys()


def test_what_set_up_writes_is_logged_as_written_from_outside(state: World, shop: Any) -> None:
    state.clock.advance(2.0)
    shop.orders.put("a", {"n": 1})
    assert state.log == [Wrote(2.0, "shop", Change("orders", "a", None, {"n": 1}))]


def test_what_a_call_writes_is_logged_as_its_effect(state: World, shop: Any) -> None:
    handled = state.deliver(shop, Delivery("buy", {"item": "tea"}, "k"), 4, None)
    (event,) = state.log
    assert isinstance(event, Applied)
    assert (event.late, event.again) == (False, False)
    effect = event.effect
    assert (effect.id, effect.call, effect.full, effect.ref, effect.amount, effect.key) == (
        0, 4, "shop.buy", "o_1", 100, "k",
    )  # fmt: skip
    assert (effect.changes, effect.undoes, effect.environment) == (handled.changes, None, False)


def test_reads_and_replays_leave_no_event(state: World, shop: Any) -> None:
    state.deliver(shop, Delivery("buy", {"item": "tea"}, "k"), 0, None)
    state.deliver(shop, Delivery("buy", {"item": "tea"}, "k"), 0, None)
    state.deliver(shop, Delivery("get_order", {"order": "o_1"}), 1, None)
    assert len(state.log) == 1


def test_a_refusal_is_logged_with_its_status_and_code(state: World, shop: Any) -> None:
    state.deliver(shop, Delivery("buy", {"item": "sold out"}), 0, None, late=True)
    assert state.log == [Rejected(0.0, 0, 409, "sold_out", late=True)]


def test_an_undo_bound_to_a_call_before_it_was_applied_takes_back_what_it_applied_since(
    state: World, shop: Any
) -> None:
    state.deliver(shop, Delivery("buy", {"item": "tea"}, "k"), 0, None)
    state.deliver(shop, Delivery("cancel", {}, target_key="k"), 1, Binding(0, None))
    assert [event.effect.undoes for event in state.log if isinstance(event, Applied)] == [None, 0]


def test_an_undo_of_a_key_that_nobody_used_takes_back_nothing(state: World, shop: Any) -> None:
    state.deliver(shop, Delivery("buy", {"item": "tea"}, "k"), 0, None)
    state.deliver(shop, Delivery("cancel", {}, target_key="k"), 1, Binding(None, None))
    assert state.standing.effects[1].undoes is None


def test_a_second_delivery_is_the_environments_only_where_there_are_no_keys(state: World, shop: Any) -> None:
    shop.orders.put("o_1", {"id": "o_1"})
    for name, args in (("send", {"order": "o_1"}), ("buy", {"item": "tea"})):
        for again in (False, True):
            state.deliver(shop, Delivery(name, args), 0, None, again=again)
    marks = [(e.effect.operation, e.effect.environment) for e in state.log if isinstance(e, Applied)]
    assert marks == [("send", False), ("send", True), ("buy", False), ("buy", False)]


def test_invariants_are_looked_at_after_each_commit_and_at_no_other_time(state: World, shop: Any) -> None:
    state.deliver(shop, Delivery("buy", {"item": "tea", "amount": -5}), 0, None)
    state.deliver(shop, Delivery("get_order", {"order": "o_1"}), 1, None)
    state.deliver(shop, Delivery("buy", {"item": "sold out"}), 2, None)
    assert [e for e in state.log if isinstance(e, Broke)] == [
        Broke(0.0, "shop", "sums_are_positive", "o_1 has -5")
    ]


def test_a_new_run_finds_nothing_of_the_old_one(state: World, shop: Any) -> None:
    state.deliver(shop, Delivery("buy", {"item": "tea"}, "k"), 0, None)
    state.clock.advance(3.0)
    log = state.log
    state.reset()
    assert (state.log, state.clock.elapsed, state.standing.effects, len(shop.orders)) == ([], 0.0, [], 0)
    assert len(log) == 1, "the log of the old run is left to its history"
    handled = state.deliver(shop, Delivery("buy", {"item": "tea"}, "k"), 0, None)
    assert (handled.replayed, handled.body["id"]) == (False, "o_1")


def test_time_moves_only_forward_and_begins_on_a_monday_morning() -> None:
    clock = Clock()
    assert clock.isoformat() == "2026-01-05T09:00:00Z"
    clock.advance(90.5)
    assert (clock.now() - START, clock.isoformat()) == (90.5, "2026-01-05T09:01:30.500000Z")
    with pytest.raises(ValueError, match="time cannot go back"):
        clock.advance(-1.0)


def test_ids_are_counted_for_each_prefix_and_begin_again() -> None:
    ids = Ids()
    assert [ids.next(p) for p in ("cr", "cr", "inv")] == ["cr_1", "cr_2", "inv_1"]
    assert ids.minted == {"cr_1": "cr", "cr_2": "cr", "inv_1": "inv"}
    ids.reset()
    assert (ids.next("cr"), ids.minted) == ("cr_1", {"cr_1": "cr"})
