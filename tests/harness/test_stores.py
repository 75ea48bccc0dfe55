"""Stores that fail: what becomes of writes and process, and of a plan that asks for what cannot be."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sagaproof import stores
from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Died, Noted, Restarted, Spoiled
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.system import System
from sagaproof.errors import UsageError
from sagaproof.stores import Store

Body = Callable[[Any], Any]
Run = Callable[..., History]


@pytest.fixture
def run(shop: System) -> Run:
    """`run(body, recover, plan)`: the history of one run."""

    def run(body: Body, recover: Body | None, plan: str) -> History:
        with Runner(WorldHandle({"shop": shop}), CallableDriver(body, recover)) as runner:
            return runner.run(OPAQUE, Plan.parse(plan))

    return run


def seen(history: History) -> list[str]:
    """Writes, harm, deaths and restarts in the order of the history."""
    found = []
    for event in history.events:
        if isinstance(event, Noted):
            found.append(f"{event.point} {'kept' if event.kept else 'not kept'}")
        elif isinstance(event, Spoiled):
            found.append(f"{event.point} {event.harm}")
        elif isinstance(event, Died):
            found.append(f"died at {event.point}")
        elif isinstance(event, Restarted):
            found.append("at rest" if event.at_rest else "restarted")
    return found


# The process ------------------------------------------------------------------------------------------------


class Log:
    """Lines in a list, of a test."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, world: Any) -> Callable[[str], None]:
        """Its one write."""
        tap: Callable[[str], None] = world.durable(
            self.lines.append, name="log.add", store=stores.sequence(self.lines)
        )
        return tap


def test_a_saga_that_raises_because_its_store_refuses_is_started_anew(run: Run) -> None:
    log = Log()

    def body(world: Any) -> None:
        log.add(world)("one")
        world.direct.shop.buy(item="tea")
        log.add(world)("two")

    history = run(body, lambda _: "refused", "log.add.2=write-fails")
    assert seen(history) == [
        "log.add.1 kept",
        "log.add.2 not kept",
        "died at log.add.2",
        "restarted",
        "at rest",
    ]
    assert history.claim == "refused", "what counts is what the new process says"


def test_one_that_bears_it_says_itself_how_it_ended_and_is_looked_at_once_more(run: Run) -> None:
    log = Log()

    def body(world: Any) -> str:
        with pytest.raises(OSError, match="space"):
            log.add(world)("one")
        return "refused"

    assert seen(run(body, lambda _: None, "log.add.1=disk-full")) == ["log.add.1 not kept", "at rest"]


def test_without_a_restart_the_error_is_that_of_the_saga(run: Run) -> None:
    log = Log()
    history = run(lambda world: log.add(world)("one"), None, "log.add.1=read-only")
    assert [link.type for link in history.ending.errors] == ["OSError"]


def test_a_full_disk_lasts_for_the_store_until_somebody_has_seen_to_it(run: Run) -> None:
    log = Log()
    other: list[str] = []

    def body(world: Any) -> None:
        add, drop = log.add(world), world.durable(log.lines.clear, name="log.drop")
        world.durable(other.append, name="memo.add")("memo")
        for write in (lambda: add("one"), lambda: add("two"), drop):
            with pytest.raises(OSError, match="space"):
                write()
        add("three")

    def recover(world: Any) -> str:
        log.add(world)("four")
        return "refused"

    history = run(body, recover, "log.add.1=disk-full")
    assert log.lines == ["four", "four"], "by the new process, and by the one that looks at rest"
    assert other == ["memo"]
    assert history.claim == "refused"


def test_what_is_lost_is_there_until_the_next_call_is_through(run: Run) -> None:
    log, at_work = Log(), []

    def body(world: Any) -> None:
        log.add(world)("one")
        log.add(world)("two")
        at_work.append(list(log.lines))
        world.direct.shop.buy(item="tea")

    history = run(body, lambda _: "refused", "log.add.2=lost-record")
    assert at_work == [["one", "two"]]
    assert log.lines == ["one"]
    assert [effect.operation for effect in history.effects] == ["buy"]
    assert seen(history)[2:4] == ["log.add.2 gone", "died at shop.buy.1"]


def test_what_is_lost_is_lost_with_the_end_of_the_saga(run: Run) -> None:
    log = Log()
    history = run(lambda world: log.add(world)("one"), lambda _: None, "log.add.1=lost-record")
    assert seen(history) == ["log.add.1 kept", "log.add.1 gone", "at rest"]
    assert log.lines == []


def test_a_process_that_dies_otherwise_loses_it_as_well(run: Run) -> None:
    log = Log()

    def body(world: Any) -> None:
        log.add(world)("one")
        world.direct.shop.buy(item="tea")

    run(body, lambda _: "refused", "log.add.1=lost-record,shop.buy.1=crash-before")
    assert log.lines == []


# Ready-made stores ------------------------------------------------------------------------------------------


def test_lines_in_a_file_are_lost_torn_and_garbled_without_the_ones_before(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    store = stores.file(path)
    for hook, left in (("lose", b"one\n"), ("tear", b"one\nthr"), ("garble", b"one\nthgpe\n")):
        path.write_bytes(b"one\n")
        before = store.before()
        with path.open("ab") as file:
            file.write(b"three\n")
        store.harm(hook, before)
        assert path.read_bytes() == left, hook


def test_a_file_that_was_not_there_is_gone_again_and_one_that_is_rewritten_is_torn_whole(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state"
    store = stores.file(path)
    before = store.before()
    path.write_text("new")
    store.harm("lose", before)
    assert not path.exists()
    path.write_text(json.dumps({"state": "begun"}))
    before = store.before()
    path.write_text(json.dumps({"state": "ended"}))
    store.harm("tear", before)
    with pytest.raises(ValueError, match="line 1"):
        json.loads(path.read_text())


@pytest.mark.parametrize("by_path", [True, False])
def test_a_transaction_of_a_database_is_lost_whole_and_never_torn(tmp_path: Path, *, by_path: bool) -> None:
    with closing(sqlite3.connect(tmp_path / "db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("CREATE TABLE note (text)")
        store = stores.database(tmp_path / "db" if by_path else connection)
        connection.execute("INSERT INTO note VALUES ('one')")
        before = store.before()
        connection.execute("INSERT INTO note VALUES ('two')")
        store.harm("lose", before)
        assert connection.execute("SELECT text FROM note").fetchall() == [("one",)]
        assert store.hooks == ("lose",)
        assert str(store.fails(OSError(28, "No space left"))) == "database or disk is full"


def test_an_entry_of_a_dict_and_of_a_list_is_lost_or_empty() -> None:
    entries: dict[str, Any] = {}
    log: list[Any] = ["a"]
    lost, torn = {"a": 1, "b": [1]}, {"a": 1, "b": None, "c": None}
    for hook, left, rest in (("lose", lost, ["a"]), ("tear", torn, ["a", None])):
        entries.update({"a": 1, "b": [1]})
        entries.pop("c", None)
        del log[1:]
        one, other = stores.mapping(entries), stores.sequence(log)
        before, length = one.before(), other.before()
        entries["b"].append(2)
        entries["c"] = 3
        log.append("b")
        one.harm(hook, before)
        other.harm(hook, length)
        assert (entries, log) == (left, rest)


# What cannot be ---------------------------------------------------------------------------------------------


def test_harm_that_a_store_is_not_told_how_to_come_to_is_refused(run: Run) -> None:
    lines: list[str] = []
    with pytest.raises(UsageError, match=r"'torn-record' is done to notes\.add.*tear="):
        run(
            lambda w: w.durable(lines.append, name="notes.add")("a"),
            lambda _: None,
            "notes.add.1=torn-record",
        )


def test_a_fault_of_stores_is_refused_at_a_call(run: Run) -> None:
    with pytest.raises(UsageError, match="no write into a store"):
        run(lambda w: w.direct.shop.buy(item="tea"), lambda _: None, "shop.buy.1=disk-full")


def campaign(shop: System, store: Store, recover: Body | None) -> Any:
    """Explore a saga with one write."""
    lines: list[str] = []

    def body(world: Any) -> None:
        world.durable(lines.append, name="notes.add", store=store)("a")
        world.direct.shop.buy(item="tea")

    subject = Subject("one", CallableDriver(body, recover), {"shop": shop}, checks())
    return explore(subject, Settings(faults=1, families=("store",)))


def test_a_campaign_says_which_harm_a_store_was_not_told_of(shop: System) -> None:
    found = campaign(shop, Store(lose=lambda _: None), lambda _: None)
    tried = {fault for _, fault in found.cells}
    assert tried == {"write-fails", "disk-full", "kept-but-error", "lost-record"}
    assert found.excluded == {
        ("notes.add", "torn-record, corrupt, version"): "world.durable was not told how: pass store="
    }


def test_stores_do_not_fail_where_no_new_process_reads_them(shop: System) -> None:
    found = campaign(shop, Store(lose=lambda _: None), None)
    assert not found.cells
    assert found.excluded == {("*", "store"): "nothing says what a new process does: pass recover="}


def test_a_torn_line_that_was_cut_off_costs_none_of_those_before_it(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_bytes(b"one\ntwo\nthr")
    store = stores.file(path)
    before = store.before()
    path.write_bytes(b"one\ntwo\nfour!\n")
    assert store.tear is not None
    store.tear(before)
    assert path.read_bytes() == b"one\ntwo\nfou"
