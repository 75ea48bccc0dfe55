"""What it takes to recover many open sagas, beside bare commits of the rows that this writes.

`./dev exec python tests/bench/recovery.py [N]` does it once with N of them (10,000), by the clock.
"""

from __future__ import annotations

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.bench.rounds import Once  # noqa: E402

from sagaproof.saga import Record, Runtime, SqliteJournal, Step, tool  # noqa: E402


def take_back(_step: Step) -> None:
    """Answer at once, so that all the time is the runtime's."""


@tool(cls=4, undo=take_back, undo_by_key=True, ref="id")
def sell(what: str, *, key: str) -> dict[str, str]:
    """Never called: what is recovered has been sold already."""
    return {"id": key, "what": what}


@contextmanager
def recover(sagas: int) -> Iterator[Once]:
    """Sagas of one call that were about to be undone: each is claimed, undone, closed. Waits for the disk."""
    with _left_open(sagas) as journal:
        yield lambda: Runtime([sell], journal=journal, clock=float).recover()


@contextmanager
def commits(sagas: int) -> Iterator[Once]:
    """The same rows as they are, each in a transaction of its own, in a file with the same settings."""
    with _left_open(sagas) as journal:
        Runtime([sell], journal=journal, clock=float).recover()
        rows = journal._connection.execute(
            "SELECT saga, number, kind, body, checksum FROM record WHERE number > ? ORDER BY id",
            (len(_records("")),),
        ).fetchall()
    lease = ("saga", 1, "a runner and its number", 1.0, 2.0, 1)
    with tempfile.TemporaryDirectory() as folder, SqliteJournal(Path(folder) / "sagas.db") as bare:
        yield lambda: _commit(bare, rows, lease)


def _commit(bare: SqliteJournal, rows: list[Any], lease: tuple[Any, ...]) -> None:
    execute = bare._connection.execute
    for row in rows:
        if row[2] == "undoing":  # the first row of a saga: before it comes its lease
            execute(_LEASE, (row[0], *lease[1:]))
        execute("INSERT INTO record (saga, number, kind, body, checksum) VALUES (?, ?, ?, ?, ?)", row)


_LEASE: Final = (
    "INSERT OR REPLACE INTO lease (saga, epoch, holder, since, until, attempts) VALUES (?, ?, ?, ?, ?, ?)"
)


def peak_mb(sagas: int) -> float:
    """The most memory of Python's that a recovery holds at a time, in MB."""
    with recover(sagas) as once:
        tracemalloc.start()
        try:
            once()
            return tracemalloc.get_traced_memory()[1] / 1e6
        finally:
            tracemalloc.stop()


@contextmanager
def _left_open(sagas: int) -> Iterator[SqliteJournal]:
    with tempfile.TemporaryDirectory() as folder, SqliteJournal(Path(folder) / "sagas.db") as journal:
        with journal.transaction("set-up") as connection:
            for number in range(sagas):
                name = f"order-{number}"
                for place, record in enumerate(_records(name), start=1):
                    connection.execute(*_insert(name, place, record))
        yield journal


def _insert(saga: str, number: int, record: Record) -> tuple[str, tuple[Any, ...]]:
    from sagaproof.saga.sqlite_journal import _APPEND, _row  # noqa: PLC0415 - its own rows, in one transaction

    return _APPEND, _row(saga, number, record)


def _records(saga: str) -> list[Record]:
    key = f"{saga}/call_1"
    intent = {
        "call_id": "call_1", "tool": "sell", "cls": 4, "args": {"what": "lamp"}, "key": key, "before": None,
        "undo": {"name": "take_back", "key": f"{key}/undo"}, "at": 0.0,
    }  # fmt: skip
    outcome = {"call_id": "call_1", "outcome": "ok", "answer": {"id": key}, "ref": key, "error": None}
    return [
        Record("started", {"goal": None, "at": 0.0}),
        Record("intent", intent),
        Record("outcome", outcome),
        Record("unwinding", {"cause": "no stock"}),
    ]


def _seconds(ready: Callable[[int], AbstractContextManager[Once]], sagas: int) -> float:
    with ready(sagas) as once:
        began = time.perf_counter()
        once()
        return time.perf_counter() - began


def main() -> int:
    sagas = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    bare, ours = _seconds(commits, sagas), _seconds(recover, sagas)
    print(
        f"{sagas} sagas recovered in {ours:.1f} s, bare commits of their rows {bare:.1f} s: "
        f"{ours / bare:.2f} times as long, {ours / sagas * 1e3:.2f} ms each; "
        f"at most {peak_mb(sagas):.1f} MB at a time"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
