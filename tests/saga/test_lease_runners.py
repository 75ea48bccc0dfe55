"""Several that recover at once: threads, hooks, runtimes and processes; each saga is undone once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sagaproof.saga import Journal, Record, Retry, Runtime, SqliteJournal, Step, Tool

SAGAS = 40


class Dies(BaseException):
    """The process ends here."""


def runtime(journal: Journal, undo: Callable[[Step], Any], **options: Any) -> Runtime:
    def sell(what: str, *, key: str) -> dict[str, str]:
        return {"id": key, "what": what}

    # Not repeatable: a second undo would be seen.
    usual: dict[str, Any] = {"undo_repeatable": False, "still_stands": lambda _step: False}
    tool = Tool(sell, cls=4, undo=undo, ref="id", undo_retry=Retry(6, wait_s=0), **usual)
    return Runtime([tool], journal=journal, **options)


def leave(journal: SqliteJournal, count: int) -> None:
    """Sagas whose process died when they had sold a lamp and given up, before anything was undone."""
    for number in range(count):
        saga = runtime(DyingJournal(journal), _never).start(f"s{number}")
        saga.call("sell", {"what": "lamp"})
        with pytest.raises(Dies):
            saga.give_up("no stock")


class DyingJournal:
    """A journal without leases, at which the process dies before an undo is written down."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.read, self.open_sagas, self._append = journal.read, journal.open_sagas, journal.append

    def append(self, saga: str, number: int, record: Record) -> None:
        if record.kind == "undoing":
            raise Dies
        self._append(saga, number, record)


def _never(_step: Step) -> None:
    raise AssertionError


@pytest.fixture(params=["memory", "file"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with SqliteJournal(":memory:" if request.param == "memory" else tmp_path / "sagas.db") as journal:
        yield journal


@pytest.mark.parametrize("shared", [True, False], ids=["one-runtime", "one-each"])
def test_threads_that_recover_at_once_undo_each_saga_once(journal: SqliteJournal, shared: bool) -> None:
    leave(journal, SAGAS)
    undone: list[str] = []
    start = threading.Barrier(4)
    one = runtime(journal, lambda step: undone.append(step.saga))
    errors: list[BaseException] = []

    def recover() -> None:
        mine = one if shared else runtime(journal, lambda step: undone.append(step.saga))
        start.wait()
        try:
            mine.recover()
        except BaseException as error:  # noqa: BLE001 - told below
            errors.append(error)

    threads = [threading.Thread(target=recover) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert Counter(undone) == dict.fromkeys((f"s{number}" for number in range(SAGAS)), 1)
    assert journal.open_sagas() == []


@pytest.mark.parametrize("shared", [True, False], ids=["one-runtime", "one-each"])
def test_recovery_from_within_an_undo_leaves_that_saga_alone(journal: SqliteJournal, shared: bool) -> None:
    leave(journal, 3)
    undone: list[str] = []

    def undo(step: Step) -> None:
        (one if shared else runtime(journal, undo)).recover()
        undone.append(step.saga)

    one = runtime(journal, undo)
    one.recover()
    assert Counter(undone) == {"s0": 1, "s1": 1, "s2": 1}
    assert journal.open_sagas() == []


def test_recovering_twice_writes_nothing_the_second_time(journal: SqliteJournal) -> None:
    leave(journal, 2)
    undone: list[str] = []
    first = runtime(journal, lambda step: undone.append(step.saga))
    first.start("running").call("sell", {"what": "lamp"}, "x")
    (running,) = first.recover()
    before = {saga: len(journal.read(saga)) for saga in ("s0", "s1", "running")}
    (again,) = first.recover()
    assert (again.id, running.id) == ("running", "running")
    assert {saga: len(journal.read(saga)) for saga in before} == before
    assert running.finish().status == "completed"


# --- processes ----------------------------------------------------------------------------------------------

RECOVERS = """
import sys
from pathlib import Path
from sagaproof.saga import Runtime, SqliteJournal, Tool

path, undone = sys.argv[1:]

def sell(what, *, key):
    return {"id": key}

def undo(step):
    with open(undone, "a") as file:
        file.write(step.saga + "\\n")

tool = Tool(sell, cls=4, undo=undo, ref="id", undo_repeatable=False, still_stands=lambda step: False)
runtime = Runtime([tool], journal=SqliteJournal(path))
print("ready", flush=True)
sys.stdin.readline()
assert runtime.recover() == []
"""

HOLDS = """
import sys
from sagaproof.saga import Runtime, SqliteJournal, Tool

def sell(what, *, key):
    return {"id": key}

tool = Tool(sell, cls=4, undo=lambda step: None, ref="id", undo_by_key=True)
saga = Runtime([tool], journal=SqliteJournal(sys.argv[1])).start("held")
saga.call("sell", {"what": "lamp"}, "x")
print("ready", flush=True)
sys.stdin.readline()
print(saga.finish().status, flush=True)
"""


def started(script: str, *args: Path) -> subprocess.Popen[str]:
    """A process that has said that it is ready, and goes on with a line of input."""
    command = [sys.executable, "-c", script, *map(str, args)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_processes_that_recover_one_file_undo_each_saga_once(tmp_path: Path) -> None:
    path, undone = tmp_path / "sagas.db", tmp_path / "undone"
    with SqliteJournal(path) as journal:
        leave(journal, SAGAS)
    with ExitStack() as stack:
        runners = [stack.enter_context(started(RECOVERS, path, undone)) for _ in range(3)]
        for runner in runners:
            assert runner.stdin is not None
            runner.stdin.write("go\n")
            runner.stdin.flush()
        assert [runner.wait(timeout=60) for runner in runners] == [0, 0, 0]
    assert Counter(undone.read_text().split()) == dict.fromkeys((f"s{n}" for n in range(SAGAS)), 1)


def test_the_saga_of_a_living_process_is_left_alone_and_that_of_a_killed_one_taken_at_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sagas.db"
    with started(HOLDS, path) as holder, SqliteJournal(path) as journal:
        mine = runtime(journal, _never)
        assert mine.recover() == []
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait(timeout=60)
        (saga,) = mine.recover()
        assert saga.id == "held"


def test_one_that_is_killed_and_not_yet_waited_for_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sagas.db"
    with started(HOLDS, path) as holder, SqliteJournal(path) as journal:
        os.kill(holder.pid, signal.SIGKILL)
        os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
        assert len(runtime(journal, _never).recover()) == 1


def test_a_process_that_was_stopped_and_goes_on_within_its_time_keeps_its_saga(tmp_path: Path) -> None:
    path = tmp_path / "sagas.db"
    with started(HOLDS, path) as holder, SqliteJournal(path) as journal:
        os.kill(holder.pid, signal.SIGSTOP)
        assert runtime(journal, _never).recover() == []
        os.kill(holder.pid, signal.SIGCONT)
        assert holder.communicate("go\n", timeout=60)[0] == "completed\n"
