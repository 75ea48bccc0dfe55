"""Tables under random writes: snapshots against deep copies, the fold of changes against whole states."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sagaproof._model.diff import differences
from sagaproof._model.effect import Change, Effect
from sagaproof._model.event import Applied, Event, Wrote
from sagaproof._model.operation import EffectClass
from sagaproof._world.system import System
from sagaproof._world.table import Table

same_every_time = settings(max_examples=80, deadline=None, derandomize=True, database=None)

VOLATILE = "version"
GONE = ("void",)


class Store(System):
    """Two tables that anything can be written to."""

    name = "store"
    one = Table(gone={"status": GONE}, volatile=(VOLATILE,))
    other = Table(gone={"status": GONE}, volatile=(VOLATILE,))


fields = st.dictionaries(st.sampled_from(["a", "b", VOLATILE]), st.integers(0, 2), max_size=3)
rows = st.builds(
    lambda row, status: {**row, "status": status}, fields, st.sampled_from(["open", "void", "open"])
)
writes = st.tuples(
    st.sampled_from(["put", "patch", "drop"]), st.sampled_from(["one", "other"]), st.sampled_from("xyz"), rows
)


def write(store: Store, how: str, table: str, key: str, row: dict[str, Any]) -> None:
    """One write; to patch or drop what is not there does nothing."""
    found: Table = getattr(store, table)
    if how == "put":
        found.put(key, row)
    elif key in found and how == "patch":
        found.patch(key, **row)
    elif key in found:
        found.drop(key)


def whole(store: Store) -> dict[str, dict[str, Any]]:
    return {table.name: copy.deepcopy(dict(table.rows)) for table in store.tables}


@same_every_time
@given(st.lists(st.one_of(writes, st.just("snapshot"), st.integers(0, 9)), max_size=40))
def test_a_snapshot_is_as_good_as_a_deep_copy(steps: list[Any]) -> None:
    store = Store()
    kept = [(store.snapshot(), whole(store))]
    for step in steps:
        if step == "snapshot":
            kept.append((store.snapshot(), whole(store)))
        elif isinstance(step, int):
            snapshot, expected = kept[step % len(kept)]
            store.restore(snapshot)
            assert whole(store) == expected
        else:
            write(store, *step)
    for snapshot, expected in kept:
        store.restore(snapshot)
        assert whole(store) == expected


def naive(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> set[tuple[str, str, str]]:
    """Every field that differs between two whole states; "" where a row came or went."""
    found = set()
    for table, rows_before in before.items():
        for key in rows_before.keys() | after[table].keys():
            old, new = rows_before.get(key), after[table].get(key)
            was, is_ = (row is not None and row["status"] not in GONE for row in (old, new))
            if was != is_:
                found.add((table, key, ""))
            elif was and old is not None and new is not None:
                changed = {f for f in old.keys() | new.keys() if old.get(f) != new.get(f)} - {VOLATILE}
                found |= {(table, key, field) for field in changed}
    return found


def fold(store: Store, log: list[Event]) -> set[tuple[str, str, str]]:
    infos = {(info.system, info.name): info for info in store.table_infos()}
    return {(d.table, d.key, d.field) for d in differences(log, infos, ())}


def logging(store: Store, log: list[Event]) -> None:
    """Log each write as an effect of its own."""

    def applied(change: Change) -> None:
        cls = EffectClass.REVERSIBLE
        effect = Effect(len(log), 0, "store", "write", cls, None, None, None, {}, (change,))
        log.append(Applied(0.0, effect, late=False, again=False))

    store.on_outside_write = applied


@pytest.mark.slow
@same_every_time
@given(st.lists(writes, max_size=10), st.lists(writes, max_size=15))
def test_the_fold_of_all_changes_is_the_difference_of_the_whole_states(
    set_up: list[Any], run: list[Any]
) -> None:
    store, log = Store(), list[Event]()
    for step in set_up:
        write(store, *step)
    before = whole(store)
    logging(store, log)
    for step in run:
        write(store, *step)
    assert fold(store, log) == naive(before, whole(store))


@pytest.mark.slow
@same_every_time
@given(st.lists(writes, max_size=10), st.lists(st.tuples(st.booleans(), writes), max_size=20))
def test_what_only_another_writer_touched_or_took_away_is_no_difference(
    set_up: list[Any], run: list[tuple[bool, Any]]
) -> None:
    """Against the same run without the other writer's rows: where each keeps to its own, he is not seen."""
    store, log = Store(), list[Event]()
    for step in set_up:
        write(store, *step)
    before = whole(store)
    logging(store, log)
    ours = store.on_outside_write

    def theirs(change: Change) -> None:
        log.append(Wrote(0.0, "store", change))

    for mine, (how, table, _, row) in run:
        store.on_outside_write = ours if mine else theirs
        write(store, how, table, "x" if mine else "y", row)
    after = whole(store)
    for table in before:
        for state in (before, after):
            state[table].pop("y", None)
    assert {d for d in fold(store, log) if d[1] == "x"} == {d for d in naive(before, after) if d[1] == "x"}
    assert {d for d in fold(store, log) if d[1] == "y"} == set()
