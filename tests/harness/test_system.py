"""A system alone: whole or not at all, idempotency keys, fences, undo by key, lookup."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._model.effect import Change
from sagaproof._world.delivery import Delivery, Handled
from sagaproof._world.operation import Refusal, operation
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof.errors import UsageError

Call = Callable[..., Handled]


@pytest.fixture
def call(shop: System) -> Call:
    """`call(operation, key=None, by_key=None, **args)` on the shop alone."""

    def call(name: str, *, key: str | None = None, by_key: str | None = None, **args: Any) -> Handled:
        return shop.handle(Delivery(name, args, key, None, by_key))

    return call


def look(shop: System, operation: str, key: str) -> Handled:
    return shop.handle(Delivery("lookup", {"operation": operation, "key": key}))


def code(handled: Handled) -> tuple[int, str]:
    assert not handled.ok
    assert handled.body["error"]["code"] == handled.code
    return handled.status, handled.code


# Whole or not at all ----------------------------------------------------------------------------------------


def test_a_call_that_is_accepted_reports_its_changes(shop: Any, call: Call) -> None:
    handled = call("buy", item="tea")
    row = shop.orders["o_1"]
    assert handled == Handled(201, row, (Change("orders", "o_1", None, row),))


class Fragile(System):
    """Writes, drops and adds, and then fails."""

    name = "fragile"
    rows = Table()

    @operation(cls=3)
    def fail(self, *, how: str) -> None:
        """Fail after several writes."""
        self.rows.patch("a", n=2)
        self.rows.patch("a", n=3)
        self.rows.drop("b")
        self.rows.put("b", {"n": 9})
        self.rows.put("c", {"n": 1})
        self.rows.drop("c")
        self.rows.put("d", {"n": 1})
        if how == "refused":
            raise Refusal(422, "no", "not like this")
        raise ZeroDivisionError


@pytest.mark.parametrize("how", ["refused", "broken"])
def test_what_fails_half_way_leaves_every_row_as_it_was(how: str) -> None:
    system = Fragile()
    system.rows.put("a", {"n": 1})
    system.rows.put("b", {"n": 1})
    if how == "refused":
        handled = system.handle(Delivery("fail", {"how": how}, "k"))
        assert (handled.status, handled.changes) == (422, ())
    else:
        with pytest.raises(ZeroDivisionError):
            system.handle(Delivery("fail", {"how": how}, "k"))
    assert system.rows.rows == {"a": {"n": 1}, "b": {"n": 1}}
    assert not system.keys.entries, "a call that was refused leaves its key free"


def test_after_a_failure_writes_count_as_set_up_again() -> None:
    system = Fragile()
    outside: list[Change] = []
    system.on_outside_write = outside.append
    system.rows.put("a", {})
    system.rows.put("b", {})
    with pytest.raises(ZeroDivisionError):
        system.handle(Delivery("fail", {"how": "broken"}))
    outside.clear()
    system.rows.put("e", {})
    assert outside == [Change("rows", "e", None, {})]


# Arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "why", "says"),
    [
        ({"item": "tea", "colour": "red"}, "unknown_field", "shop.buy takes no 'colour'"),
        ({}, "missing_field", "shop.buy needs 'item'"),
        ({"amount": 1}, "missing_field", "shop.buy needs 'item'"),
        ({"item": 3}, "wrong_type", "shop.buy: item is 3, wanted str"),
        ({"item": None}, "wrong_type", "shop.buy: item is None, wanted str"),
        ({"item": "tea", "amount": "3"}, "wrong_type", "shop.buy: amount is '3', wanted int"),
        ({"item": "tea", "amount": 3.0}, "wrong_type", "shop.buy: amount is 3.0, wanted int"),
        ({"item": "tea", "amount": True}, "wrong_type", "shop.buy: amount is True, wanted int"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    shop: Any, call: Call, args: dict[str, Any], why: str, says: str
) -> None:
    handled = call("buy", **args)
    assert code(handled) == (400, why)
    assert handled.body["error"]["message"] == says
    assert len(shop.orders) == 0


def test_an_unknown_operation_is_refused(call: Call) -> None:
    assert code(call("sell")) == (404, "unknown_operation")


# Keys -------------------------------------------------------------------------------------------------------


def test_a_repetition_gets_the_first_answer_and_changes_nothing(shop: Any, call: Call) -> None:
    first = call("buy", key="k", item="tea")
    again = call("buy", key="k", item="tea")
    assert again == Handled(first.status, first.body, (), replayed=True)
    assert len(shop.orders) == 1


def test_without_a_key_each_call_counts(shop: Any, call: Call) -> None:
    call("buy", item="tea")
    call("buy", item="tea")
    assert len(shop.orders) == 2


def test_a_key_belongs_to_its_operation_and_arguments(shop: Any, call: Call) -> None:
    call("buy", key="k", item="tea")
    assert code(call("buy", key="k", item="milk")) == (400, "key_reused")
    assert code(call("draft", key="k", text="tea")) == (400, "key_reused")
    assert len(shop.orders) == 1


def test_a_refused_call_may_come_again_under_its_key(call: Call) -> None:
    assert code(call("cancel", key="k", order="o_1")) == (404, "not_found")
    call("buy", item="tea")
    assert call("cancel", key="k", order="o_1").ok


def test_an_error_of_the_server_is_stored_and_replayed_though_nothing_was_applied(
    shop: Any, call: Call
) -> None:
    first = call("buy", key="k", item="jammed")
    again = call("buy", key="k", item="jammed")
    assert (first.status, first.replayed, first.changes) == (500, False, ())
    assert (again.status, again.body, again.replayed) == (500, first.body, True)
    assert len(shop.orders) == 0


def test_a_lookup_does_not_take_a_stored_error_for_an_effect(shop: System, call: Call) -> None:
    call("buy", key="k", item="jammed")
    assert look(shop, "buy", "k").body["state"] == "failed"


def test_a_stored_error_can_be_fenced_off(call: Call) -> None:
    call("buy", key="k", item="jammed")
    assert call("cancel", by_key="k").body == {"state": "fenced", "undone": False}
    assert code(call("buy", key="k", item="jammed")) == (409, "fenced")


def test_while_the_first_call_is_being_worked_on_its_key_is_refused(shop: Any, call: Call) -> None:
    shop.keys.claim("k", "buy", {"item": "tea"}, shop.clock.now())
    assert code(call("buy", key="k", item="tea")) == (409, "key_in_use")
    assert code(call("cancel", by_key="k")) == (409, "key_in_use")
    assert look(shop, "buy", "k").body == {"state": "in-flight", "answer": None}
    assert len(shop.orders) == 0


def test_a_forgotten_key_is_as_good_as_new(shop: Any, call: Call) -> None:
    call("buy", key="k", item="tea")
    shop.clock.advance(shop.key_lifetime_s + 1)
    assert not call("buy", key="k", item="tea").replayed
    assert len(shop.orders) == 2


def test_an_operation_without_keys_heeds_none(shop: Any, call: Call) -> None:
    call("send", key="k", order="o_1")
    call("send", key="k", order="o_1")
    assert len(shop.parcels) == 2


# Undo by key, fence, lookup ---------------------------------------------------------------------------------


def test_an_undo_by_key_takes_back_what_came_under_it(shop: Any, call: Call) -> None:
    call("buy", key="k", item="tea")
    undone = call("cancel", by_key="k")
    assert (undone.body["state"], undone.body["undone"], undone.body["id"]) == ("undone", True, "o_1")
    assert shop.orders["o_1"]["status"] == "cancelled"


def test_an_undo_by_key_of_what_never_came_fences_it_off(shop: Any, call: Call) -> None:
    assert call("cancel", by_key="k").body == {"state": "fenced", "undone": False}
    assert call("cancel", by_key="k").body == {"state": "fenced", "undone": False}
    assert code(call("buy", key="k", item="tea")) == (409, "fenced")
    assert len(shop.orders) == 0


def test_an_undo_by_key_leaves_the_effects_of_other_operations_alone(shop: Any, call: Call) -> None:
    call("draft", key="k", text="x")
    assert code(call("cancel", by_key="k")) == (409, "other_operation")
    assert shop.orders["o_1"]["status"] == "draft"


def test_a_new_row_is_gone_after_its_undo_by_key_and_a_second_undo_changes_nothing(
    shop: Any, call: Call
) -> None:
    call("draft", key="k", text="x")
    assert call("undo_draft", by_key="k").body == {"state": "undone", "undone": True}
    assert len(shop.orders) == 0
    again = call("undo_draft", by_key="k")
    assert (again.ok, again.changes) == (True, ())


def test_a_dropped_row_is_back_after_its_undo_by_key_and_a_second_undo_changes_nothing(
    shop: Any, call: Call
) -> None:
    row = call("buy", item="tea").body
    call("archive", key="k", order="o_1")
    assert len(shop.orders) == 0
    call("undo_archive", by_key="k")
    assert shop.orders["o_1"] == row
    again = call("undo_archive", by_key="k")
    assert (again.ok, again.changes) == (True, ())


def test_a_dropped_row_does_not_come_back_over_one_that_was_made_since(shop: Any, call: Call) -> None:
    call("buy", item="tea")
    call("archive", key="k", order="o_1")
    shop.orders.put("o_1", {"id": "o_1", "item": "milk"})
    assert code(call("undo_archive", by_key="k")) == (409, "changed_since")
    assert shop.orders["o_1"]["item"] == "milk"


@pytest.fixture
def placed(call: Call) -> Call:
    """An order that was put from here to there under the key `k`, to be undone by it."""
    call("buy", item="tea")
    call("set_place", key="k", order="o_1", place="there")
    return call


def test_an_undo_by_key_puts_the_old_value_back_and_raises_the_version(shop: Any, placed: Call) -> None:
    placed("undo_set_place", by_key="k")
    assert (shop.orders["o_1"]["place"], shop.orders["o_1"]["version"]) == ("here", 3)
    assert placed("undo_set_place", by_key="k").changes == ()


def test_an_undo_by_key_keeps_what_others_wrote_into_other_fields(shop: Any, placed: Call) -> None:
    placed("set_note", order="o_1", note="fragile")
    placed("undo_set_place", by_key="k")
    assert (shop.orders["o_1"]["place"], shop.orders["o_1"]["note"]) == ("here", "fragile")


def test_an_undo_by_key_does_not_overwrite_a_later_value(shop: Any, placed: Call) -> None:
    shop.orders.patch("o_1", place="elsewhere")
    assert code(placed("undo_set_place", by_key="k")) == (409, "changed_since")
    assert shop.orders["o_1"]["place"] == "elsewhere"


def test_an_undo_by_key_of_a_row_that_is_gone_since_is_refused(shop: Any, placed: Call) -> None:
    shop.orders.drop("o_1")
    assert code(placed("undo_set_place", by_key="k")) == (409, "changed_since")
    assert len(shop.orders) == 0


def test_a_value_that_was_set_to_nothing_cannot_be_put_back_into_a_row_that_is_gone() -> None:
    class Wardrobe(System):
        name = "wardrobe"
        coats = Table()

        @operation(cls=3, ref="coat", restores=("coats", "hook"))
        def take(self, *, coat: str, hook: int | None) -> None:
            self.coats.patch(coat, hook=hook)

    wardrobe = Wardrobe()
    wardrobe.coats.put("c", {"hook": 3})
    wardrobe.handle(Delivery("take", {"coat": "c", "hook": None}, "k"))
    wardrobe.coats.drop("c")
    assert code(wardrobe.handle(Delivery("undo_take", {}, target_key="k"))) == (409, "changed_since")


def test_what_is_irreversible_can_be_fenced_and_not_undone() -> None:
    class Post(System):
        name = "post"
        letters = Table()

        @operation(cls=5)
        def send(self) -> None:
            self.letters.put("l", {})

    post = Post()
    assert post.handle(Delivery("undo_send", {}, target_key="early")).body["state"] == "fenced"
    post.handle(Delivery("send", {}, "k"))
    assert code(post.handle(Delivery("undo_send", {}, target_key="k"))) == (409, "irreversible")
    assert len(post.letters) == 1


def test_a_lookup_says_what_became_of_a_key(shop: System, call: Call) -> None:
    assert look(shop, "buy", "k").body == {"state": "absent", "answer": None}
    bought = call("buy", key="k", item="tea").body
    assert look(shop, "buy", "k").body == {"state": "applied", "answer": bought}
    assert look(shop, "draft", "k").body == {"state": "absent", "answer": None}
    call("cancel", by_key="other")
    assert look(shop, "buy", "other").body == {"state": "fenced", "answer": None}
    assert code(look(shop, "sell", "k")) == (404, "unknown_operation")


def test_an_answer_carries_the_value_that_an_undo_would_put_back(call: Call) -> None:
    call("buy", item="tea")
    assert call("set_place", order="o_1", place="there").body["previous"] == {"place": "here"}
    assert call("set_place", order="o_1", place="there").body["previous"] == {"place": "there"}
    assert "previous" not in call("set_note", order="o_1", note="x").body


# Whole state ------------------------------------------------------------------------------------------------


def test_a_snapshot_is_not_touched_by_what_comes_after_and_serves_twice(shop: Any, call: Call) -> None:
    call("buy", key="k", item="tea")
    snapshot = shop.snapshot()
    rows = dict(shop.orders.rows)
    for _ in range(2):
        call("cancel", by_key="k")
        call("buy", key="k2", item="milk")
        shop.restore(snapshot)
        assert shop.orders.rows == rows
        assert call("buy", key="k", item="tea").replayed
        assert look(shop, "buy", "k2").body["state"] == "absent"


def test_a_reset_empties_tables_and_keys(shop: Any, call: Call) -> None:
    call("buy", key="k", item="tea")
    shop.reset()
    assert len(shop.orders) == 0
    assert not call("buy", key="k", item="tea").replayed


def test_a_system_needs_a_name() -> None:
    class Nameless(System):
        pass

    with pytest.raises(UsageError, match="Nameless has no name"):
        Nameless()


def test_two_instances_share_no_rows(shop: System) -> None:
    other = type(shop)()
    other.handle(Delivery("buy", {"item": "tea"}))
    assert len(shop.tables[0]) + len(shop.tables[1]) + len(shop.tables[2]) == 0
