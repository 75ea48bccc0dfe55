"""What the SQLite journal has acknowledged is there, once, in order; anything else it says loudly."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sagaproof.saga.journal import Journal, JournalError, Superseded, UnreadableJournal
from sagaproof.saga.journal_file import APPLICATION_ID, VERSION, open_memory
from sagaproof.saga.record import KINDS, NotJson, Record
from sagaproof.saga.sqlite_journal import SqliteJournal

STARTED = Record("started", {"goal": "credit order 4921"})
INTENT = Record("intent", {"call_id": "call_1", "args": {"customer": "Zoë\n\x00\ud800", "amount": 250000}})
CLOSED = Record("closed", {})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sagas.db"


@pytest.fixture(params=["memory", "file"])
def journal(request: pytest.FixtureRequest, path: Path) -> Iterator[SqliteJournal]:
    with SqliteJournal(":memory:" if request.param == "memory" else path) as journal:
        yield journal


def fill(journal: Journal, saga: str, *records: Record) -> None:
    for number, record in enumerate(records, start=1):
        journal.append(saga, number, record)


def test_records_come_back_as_they_were_in_order_and_by_saga(journal: SqliteJournal) -> None:
    assert isinstance(journal, Journal)
    fill(journal, "a", *(Record(kind, {"n": n, **INTENT.body}) for n, kind in enumerate(KINDS)))
    fill(journal, "b", STARTED)
    assert journal.read("a") == [Record(kind, {"n": n, **INTENT.body}) for n, kind in enumerate(KINDS)]
    assert journal.read("b") == [STARTED]
    assert journal.read("no such saga") == []


def test_open_sagas_are_those_started_and_not_closed_oldest_first(journal: SqliteJournal) -> None:
    assert journal.open_sagas() == []
    for saga in ("zebra", "ant", "bee"):
        fill(journal, saga, STARTED, INTENT)
    fill(journal, "cat", STARTED, CLOSED)
    journal.append("ant", 3, CLOSED)
    assert journal.open_sagas() == ["zebra", "bee"]


def test_finding_open_sagas_costs_nothing_for_the_records_of_closed_ones(journal: SqliteJournal) -> None:
    from sagaproof.saga.sqlite_journal import _OPEN  # noqa: PLC0415 - the very text

    plan = journal._connection.execute(f"EXPLAIN QUERY PLAN {_OPEN}").fetchall()
    assert not [step for *_, step in plan if step.startswith("SCAN")], plan


def test_a_number_in_use_supersedes_the_later_writer(journal: SqliteJournal) -> None:
    fill(journal, "order-1", STARTED)
    with pytest.raises(Superseded, match=r"record 1 of saga 'order-1'.*another runner"):
        journal.append("order-1", 1, INTENT)
    assert journal.read("order-1") == [STARTED]
    journal.append("order-2", 1, STARTED)


def test_a_body_that_is_not_json_leaves_nothing(journal: SqliteJournal) -> None:
    with pytest.raises(NotJson):
        journal.append("a", 1, Record("intent", {"args": object()}))
    assert journal.read("a") == []
    journal.append("a", 1, STARTED)


def test_clear_makes_it_as_new(journal: SqliteJournal) -> None:
    fill(journal, "a", STARTED, INTENT)
    journal.clear()
    assert (journal.read("a"), journal.open_sagas()) == ([], [])
    fill(journal, "a", STARTED)


def test_a_closed_journal_refuses(journal: SqliteJournal) -> None:
    journal.close()
    journal.close()
    asked: list[Callable[[], object]] = [
        lambda: journal.append("a", 1, STARTED),
        lambda: journal.read("a"),
        journal.open_sagas,
        journal.clear,
    ]
    for ask in asked:
        with pytest.raises(JournalError, match="closed"):
            ask()


def test_each_append_is_a_transaction_of_its_own(journal: SqliteJournal) -> None:
    journal.append("a", 1, STARTED)
    assert not journal._connection.in_transaction


def test_a_file_is_written_ahead_and_synced_on_each_commit(path: Path) -> None:
    for _ in ("new", "opened again"):
        with SqliteJournal(path) as journal:
            asked = {
                pragma: journal._connection.execute(f"PRAGMA {pragma}").fetchone()[0]
                for pragma in ("journal_mode", "synchronous", "application_id", "user_version", "fullfsync")
            }
        assert asked == {
            "journal_mode": "wal",
            "synchronous": 2,
            "application_id": APPLICATION_ID,
            "user_version": VERSION,
            "fullfsync": 1,
        }
    assert [entry.name for entry in path.parent.iterdir()] == [path.name], "nothing is left beside it"


DIES = """
import os, sys
from sagaproof.saga.record import Record
from sagaproof.saga.sqlite_journal import SqliteJournal

journal = SqliteJournal(sys.argv[1])
for number in range(1, 6):
    journal.append("order-1", number, Record("started" if number == 1 else "intent", {"n": number}))
os._exit(9)
"""


def test_what_was_acknowledged_outlives_a_process_that_is_killed(path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", DIES, str(path)], check=False, timeout=60)
    assert died.returncode == 9
    assert Path(f"{path}-wal").exists(), "it died without tidying up"
    with SqliteJournal(path) as journal:
        assert [record.body["n"] for record in journal.read("order-1")] == [1, 2, 3, 4, 5]
        assert journal.open_sagas() == ["order-1"]


def test_two_journals_on_one_file_see_and_supersede_each_other(path: Path) -> None:
    with SqliteJournal(path) as one, SqliteJournal(path) as other:
        one.append("a", 1, STARTED)
        assert other.read("a") == [STARTED]
        other.append("a", 2, INTENT)
        with pytest.raises(Superseded):
            one.append("a", 2, CLOSED)
        assert one.read("a") == [STARTED, INTENT]


def test_of_many_threads_one_gets_each_number(journal: SqliteJournal) -> None:
    won: list[tuple[int, int]] = []
    lost: list[int] = []

    def race(runner: int) -> None:
        for number in range(1, 51):
            try:
                journal.append("a", number, Record("note", {"by": runner}))
                won.append((number, runner))
            except Superseded:
                lost.append(number)

    threads = [threading.Thread(target=race, args=(runner,)) for runner in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for number, _ in won) == list(range(1, 51))
    assert len(lost) == 7 * 50
    assert [(n, record.body["by"]) for n, record in enumerate(journal.read("a"), start=1)] == sorted(won)


@pytest.mark.slow
def test_a_hundred_thousand_records_are_all_there() -> None:
    with SqliteJournal(":memory:") as journal:
        for saga in range(1000):
            journal.append(f"order-{saga}", 1, STARTED)
            for number in range(2, 100):
                journal.append(f"order-{saga}", number, INTENT)
            journal.append(f"order-{saga}", 100, CLOSED if saga % 10 else INTENT)
        assert journal.open_sagas() == [f"order-{saga}" for saga in range(0, 1000, 10)]
        assert sum(len(journal.read(f"order-{saga}")) for saga in range(1000)) == 100_000


def _append_in_fork(journal: SqliteJournal, answers: multiprocessing.Queue[str]) -> None:
    try:
        journal.append("a", 1, STARTED)
    except JournalError as error:
        answers.put(str(error))
    else:
        answers.put("taken")
    answers.close()
    answers.join_thread()
    os._exit(0)  # without closing the connection that is its parent's


def test_a_journal_is_not_carried_over_a_fork(path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()
    with SqliteJournal(path) as journal:
        child = fork.Process(target=_append_in_fork, args=(journal, answers))
        child.start()
        assert "after the fork" in answers.get(timeout=60)
        child.join()
        assert journal.read("a") == []


def test_a_fork_is_told_even_if_a_thread_of_its_parent_was_writing(path: Path) -> None:
    """In the fork that thread is not there, and its lock is never let go of."""
    with SqliteJournal(path) as journal:
        with journal._lock:
            child = os.fork()
            if not child:
                _look_and_end(journal)
            _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert journal.read("a") == []


def _look_and_end(journal: SqliteJournal) -> None:
    signal.alarm(20)  # ends a process that hangs
    told = 0
    for ask in (journal.open_sagas, lambda: journal.read("a"), lambda: journal.append("a", 1, STARTED)):
        try:
            ask()
        except JournalError:
            told += 1
    os._exit(3 - told)


# --- files that are no whole journal ---------------------------------------------------------------------


def _spoil(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def _full(path: Path) -> Path:
    with SqliteJournal(path) as journal:
        fill(journal, "a", STARTED, *[INTENT] * 60)
    return path


def _empty(path: Path) -> None:
    path.touch()


def _text(path: Path) -> None:
    path.write_text("sagas: none\n" * 100)


def _other_database(path: Path) -> None:
    _spoil(path, "CREATE TABLE customers (id)")


def _cut_off(path: Path) -> None:
    os.truncate(_full(path), 8192)


def _scribbled_over(path: Path) -> None:
    with _full(path).open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096)


def _of_the_future(path: Path) -> None:
    _spoil(_full(path), f"PRAGMA user_version = {VERSION + 1}")


def _only_its_log(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4096))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_empty, "no journal of sagas"),
        (_text, "no journal, or a broken one: file is not a database"),
        (_other_database, "no journal of sagas"),
        (_cut_off, "broken"),
        (_scribbled_over, "broken"),
        (_of_the_future, f"version {VERSION + 1}, and this runtime knows {VERSION}"),
        (_only_its_log, "the file that it belongs to is gone"),
    ],
)
def test_what_is_no_whole_journal_is_refused_and_left_as_it_is(
    path: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(path)
    before = {entry.name: entry.read_bytes() for entry in path.parent.iterdir()}
    with pytest.raises(UnreadableJournal) as caught:
        SqliteJournal(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    after = {entry.name: entry.read_bytes() for entry in path.parent.iterdir()}
    assert after == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM record WHERE number = 2", "record 2 of saga 'a' is missing"),
        ("UPDATE record SET number = 300 WHERE number = 30", "record 30 of saga 'a' is missing"),
        ("UPDATE record SET body = '{}' WHERE number = 3", "record 3 of saga 'a' .* is not what was written"),
        ("UPDATE record SET kind = 'undone' WHERE number = 3", "record 3 .* is not what was written"),
        ("UPDATE record SET body = 'torn' WHERE number = 3", "record 3 .* is not what was written"),
    ],
)
def test_a_record_that_is_gone_or_altered_is_said(path: Path, statement: str, said: str) -> None:
    _spoil(_full(path), statement)
    with SqliteJournal(path) as journal, pytest.raises(UnreadableJournal, match=said):
        journal.read("a")


def test_a_file_that_breaks_while_open_is_said(path: Path) -> None:
    with SqliteJournal(_full(path)) as journal:
        with path.open("r+b") as file:
            file.seek(0)
            file.write(b"\xa5" * path.stat().st_size)
        journal._connection.execute("PRAGMA shrink_memory")  # what is cached is still right
        with pytest.raises(UnreadableJournal, match=r"it cannot be asked.*Restore the file"):
            journal.read("a")


@pytest.mark.parametrize("is_replaced", [False, True], ids=["removed", "replaced"])
def test_nothing_is_acknowledged_into_a_file_that_nobody_can_find(path: Path, *, is_replaced: bool) -> None:
    with SqliteJournal(path) as journal:
        lease = journal.begin("a", STARTED, 60.0)
        for end in ("", "-wal", "-shm"):
            Path(f"{path}{end}").unlink()
        if is_replaced:
            SqliteJournal(path).close()
        for ask in (
            lambda: journal.append("a", 2, INTENT, lease),
            lambda: journal.append("a", 2, INTENT),
            lambda: journal.claim("a", 60.0),
            lambda: journal.read("a"),
            journal.open_sagas,
        ):
            with pytest.raises(UnreadableJournal, match="removed or replaced while it was open"):
                ask()


def test_a_journal_is_the_same_in_another_working_directory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    with SqliteJournal(path.name) as journal:
        monkeypatch.chdir("/")
        fill(journal, "a", STARTED)
        assert journal.read("a") == [STARTED]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no_folder") as caught:
        SqliteJournal(tmp_path / "no_folder" / "sagas.db")
    assert not isinstance(caught.value, UnreadableJournal)


def test_a_journal_that_another_holds_locked_is_no_broken_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sagaproof.saga.journal_file._WAIT_FOR_LOCK_S", 0.0)
    with SqliteJournal(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            JournalError, match="record 1 of saga 'a' was not kept: database is locked"
        ) as caught:
            journal.append("a", 1, STARTED)
        assert not isinstance(caught.value, UnreadableJournal | Superseded)
        other.execute("ROLLBACK")
        journal.append("a", 1, STARTED)


def test_a_file_that_another_holds_for_itself_cannot_be_opened_and_is_no_broken_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sagaproof.saga.journal_file._WAIT_FOR_LOCK_S", 0.0)
    _full(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(JournalError, match="cannot be opened: database is locked") as caught:
            SqliteJournal(path)
        assert not isinstance(caught.value, UnreadableJournal)
    with SqliteJournal(path) as journal:
        assert len(journal.read("a")) == 61


def test_a_file_that_cannot_be_written_ahead_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _full(path)
    in_memory = open_memory()  # keeps its mode, as does a file where no memory can be shared
    monkeypatch.setattr("sagaproof.saga.journal_file._connect", lambda _: in_memory)
    with pytest.raises(JournalError, match="stays in mode 'memory', not WAL"):
        SqliteJournal(path)


def test_of_two_that_make_the_file_at_once_both_have_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def second(source: Path, target: Path) -> None:
        link(source, target)
        link(source, target)

    monkeypatch.setattr(os, "link", second)
    with SqliteJournal(path) as journal:
        journal.append("a", 1, STARTED)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_journal_whose_table_is_gone_is_no_empty_one(tmp_path: Path) -> None:
    with SqliteJournal(tmp_path / "journal") as journal:
        with sqlite3.connect(tmp_path / "journal") as other:
            other.execute("DROP TABLE record")
        other.close()
        with pytest.raises(UnreadableJournal, match="no such table"):
            journal.open_sagas()
        with pytest.raises(UnreadableJournal, match="no such table"):
            journal.append("s", 1, Record("started", {}))
