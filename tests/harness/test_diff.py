"""Where the world differs at the end of a run from its beginning."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from sagaproof._model.diff import Difference, changed_fields, differences
from sagaproof._model.effect import Change, Effect
from sagaproof._model.event import Applied, Event, Wrote
from sagaproof._model.operation import EffectClass, TableInfo

INFO = TableInfo("shop", "orders", (("status", ("void", "cancelled")),), frozenset({"version"}))
_ids = itertools.count()


def change(before: Any, after: Any, key: str = "o_1") -> Change:
    return Change("orders", key, before, after)


def applied(*changes: Change, cls: int = 3, operation: str = "buy") -> Event:
    effect = Effect(next(_ids), 0, "shop", operation, EffectClass(cls), None, None, None, {}, changes)
    return Applied(0.0, effect, late=False, again=False)


def wrote(before: Any, after: Any) -> Event:
    return Wrote(0.0, "shop", change(before, after))


def diff(*events: Event, escalating: tuple[str, ...] = ()) -> list[str]:
    return [str(d) for d in differences(events, {("shop", "orders"): INFO}, escalating)]


HERE, THERE = {"place": "here", "status": "ok"}, {"place": "there", "status": "ok"}
VOID = {"place": "here", "status": "void"}


def test_a_new_row_and_a_dropped_one_are_each_one_difference() -> None:
    assert diff(applied(change(None, HERE))) == ["shop.orders[o_1] was added"]
    assert diff(applied(change(HERE, None))) == ["shop.orders[o_1] was removed"]


def test_a_changed_field_is_named_with_both_values() -> None:
    assert diff(applied(change(HERE, {**THERE, "note": "x"}))) == [
        "shop.orders[o_1].note: None -> 'x'",
        "shop.orders[o_1].place: 'here' -> 'there'",
    ]


def test_what_was_put_back_is_no_difference() -> None:
    assert diff(applied(change(HERE, THERE)), applied(change(THERE, HERE))) == []
    assert diff(applied(change(None, HERE)), applied(change(HERE, None))) == []
    assert diff(applied(change(HERE, None)), applied(change(None, HERE))) == []


def test_only_first_and_last_count() -> None:
    far = {**HERE, "place": "far"}
    assert diff(applied(change(HERE, far)), applied(change(far, THERE))) == [
        "shop.orders[o_1].place: 'here' -> 'there'"
    ]


def test_versions_and_times_do_not_count() -> None:
    assert diff(applied(change({**HERE, "version": 1}, {**HERE, "version": 2}))) == []


def test_a_void_row_is_no_row() -> None:
    assert diff(applied(change(None, HERE)), applied(change(HERE, VOID))) == []
    assert diff(applied(change(None, VOID))) == []
    assert diff(applied(change(HERE, VOID))) == ["shop.orders[o_1] was removed"]
    assert diff(applied(change(VOID, HERE))) == ["shop.orders[o_1] was added"]
    assert diff(applied(change(VOID, {**VOID, "status": "cancelled"}))) == []


def test_a_convergent_write_need_not_be_taken_back() -> None:
    noted = {**HERE, "note": "x"}
    assert diff(applied(change(HERE, noted), cls=2)) == []
    assert diff(applied(change(HERE, noted), cls=2), applied(change(noted, {**THERE, "note": "y"}))) == [
        "shop.orders[o_1].place: 'here' -> 'there'"
    ]


def test_what_was_written_for_a_person_to_read_does_not_count() -> None:
    assert diff(applied(change(None, HERE), operation="tell"), escalating=("shop.tell",)) == []


def test_set_up_before_the_first_effect_is_how_things_were() -> None:
    assert diff(wrote(None, HERE), applied(change(HERE, THERE))) == [
        "shop.orders[o_1].place: 'here' -> 'there'"
    ]
    assert diff(wrote(None, HERE)) == []


def test_a_field_that_another_writer_changed_is_not_ours_to_put_back() -> None:
    far = {**THERE, "place": "far"}
    assert diff(applied(change(HERE, THERE)), wrote(THERE, far)) == []
    assert diff(
        applied(change(HERE, {**THERE, "note": "x"})), wrote({**THERE, "note": "x"}, {**far, "note": "x"})
    ) == ["shop.orders[o_1].note: None -> 'x'"]


def test_a_row_that_another_writer_changed_and_we_had_made_is_still_ours() -> None:
    assert diff(applied(change(None, HERE)), wrote(HERE, THERE)) == ["shop.orders[o_1] was added"]


@pytest.mark.parametrize("gone", [None, VOID])
def test_a_row_that_another_writer_took_away_was_not_taken_away_by_us(gone: Any) -> None:
    assert diff(applied(change(HERE, THERE)), wrote(THERE, gone)) == []
    assert diff(applied(change(None, HERE)), wrote(HERE, gone)) == []


def test_a_row_that_another_writer_put_back_is_there() -> None:
    assert diff(applied(change(HERE, None)), wrote(None, HERE)) == []
    assert diff(applied(change(HERE, VOID)), wrote(VOID, HERE)) == []


def test_another_writer_alone_makes_no_difference() -> None:
    touched = applied(change(HERE, HERE, key="o_2"))
    assert diff(touched, wrote(HERE, THERE)) == []
    assert diff(touched, wrote(HERE, THERE), applied(change(THERE, HERE))) == [
        "shop.orders[o_1].place: 'there' -> 'here'"
    ]


def test_the_effect_named_is_the_last_that_touched_the_row() -> None:
    first, last = applied(change(HERE, THERE)), applied(change(THERE, {**THERE, "place": "far"}))
    (found,) = differences([first, last], {("shop", "orders"): INFO}, ())
    assert isinstance(last, Applied)
    assert found == Difference("shop", "orders", "o_1", "place", "here", "far", last.effect.id)


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        (None, HERE, {""}),
        (HERE, None, {""}),
        (HERE, VOID, {""}),
        (VOID, {**VOID, "place": "x"}, set()),
        (HERE, THERE, {"place"}),
        ({**HERE, "version": 1}, {**THERE, "version": 2}, {"place"}),
        ({**HERE, "version": 1}, {**HERE, "version": 2}, set()),
        (HERE, {**HERE, "note": "x"}, {"note"}),
    ],
)
def test_the_fields_that_a_change_made_different(before: Any, after: Any, fields: set[str]) -> None:
    assert changed_fields(INFO, change(before, after)) == fields
