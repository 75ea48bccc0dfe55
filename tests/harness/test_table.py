"""Tables replace rows, tell each write, and declare how their rows compare."""

from __future__ import annotations

from typing import Any

import pytest

from sagaproof._model.effect import Change
from sagaproof._model.operation import TableInfo
from sagaproof._world.table import Table


@pytest.fixture
def told() -> list[Change]:
    return []


@pytest.fixture
def table(told: list[Change]) -> Table:
    return Table(gone={"status": ("void",)}, volatile=("version",)).bind("shop", "orders", told.append)


def test_each_write_is_told_with_the_row_before_and_after(table: Table, told: list[Change]) -> None:
    table.put("a", {"n": 1})
    table.put("a", {"n": 2})
    table.patch("a", n=3)
    table.drop("a")
    assert told == [
        Change("orders", "a", None, {"n": 1}),
        Change("orders", "a", {"n": 1}, {"n": 2}),
        Change("orders", "a", {"n": 2}, {"n": 3}),
        Change("orders", "a", {"n": 3}, None),
    ]


def test_a_patch_makes_a_new_row_and_leaves_the_old_one_alone(table: Table) -> None:
    old = table.put("a", {"n": 1, "m": 1})
    new = table.patch("a", n=2)
    assert (old, new, table["a"]) == ({"n": 1, "m": 1}, {"n": 2, "m": 1}, {"n": 2, "m": 1})


def test_a_patch_that_changes_nothing_writes_nothing(table: Table, told: list[Change]) -> None:
    row = table.put("a", {"n": 1})
    told.clear()
    assert table.patch("a", n=1) is row
    assert told == []


def test_a_field_set_to_none_for_the_first_time_is_a_write(table: Table, told: list[Change]) -> None:
    table.put("a", {"n": 1})
    told.clear()
    table.patch("a", note=None)
    assert told == [Change("orders", "a", {"n": 1}, {"n": 1, "note": None})]


@pytest.mark.parametrize("write", [lambda t: t.patch("x", n=1), lambda t: t.drop("x")])
def test_a_row_that_is_not_there_can_be_neither_patched_nor_dropped(table: Table, write: Any) -> None:
    with pytest.raises(KeyError):
        write(table)
    assert len(table) == 0


def test_rows_are_found_by_their_fields_in_the_order_they_came(table: Table) -> None:
    for key, row in {"b": {"x": 1, "y": 1}, "a": {"x": 1}, "c": {"x": 2}}.items():
        table.put(key, row)
    assert table.where(x=1) == [{"x": 1, "y": 1}, {"x": 1}]
    assert table.where(x=1, y=1) == [{"x": 1, "y": 1}]
    assert table.where(z=1) == []
    assert (list(table), len(table), "a" in table, "z" in table, table.get("z")) == (
        ["b", "a", "c"], 3, True, False, None,
    )  # fmt: skip


def test_a_bound_table_is_empty_and_of_the_same_kind(table: Table, told: list[Change]) -> None:
    table.put("a", {})
    other = table.bind("shop", "orders", told.append)
    assert len(other) == 0
    assert (
        other.info
        == table.info
        == TableInfo("shop", "orders", (("status", ("void",)),), frozenset({"version"}))
    )


def test_a_table_of_no_system_can_be_written_to() -> None:
    table = Table()
    table.put("a", {"n": 1})
    assert table["a"] == {"n": 1}
