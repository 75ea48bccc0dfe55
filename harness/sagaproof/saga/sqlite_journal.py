"""The journal in a SQLite file: a record is on the disk when `append` returns, one transaction each."""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecoder
from types import TracebackType
from typing import Final, Self, cast

from sagaproof.saga.journal import JournalError, Superseded, UnreadableJournal
from sagaproof.saga.journal_file import open_file, open_memory
from sagaproof.saga.lease import Lease
from sagaproof.saga.lease_machine import Machine, ThisMachine
from sagaproof.saga.lease_table import HOLDS
from sagaproof.saga.opened_file import OpenedFile
from sagaproof.saga.record import Kind, Record, to_text
from sagaproof.saga.write_off_table import WriteOffTable

__all__ = ["SqliteJournal"]

_APPEND: Final = "INSERT INTO record (saga, number, kind, body, checksum) VALUES (?, ?, ?, ?, ?)"
# One statement is one transaction: the lease is looked at and the record kept, or neither.
_APPEND_HELD: Final = (
    "INSERT INTO record (saga, number, kind, body, checksum) SELECT ?, ?, ?, ?, ? "  # noqa: S608 - a constant
    f"WHERE EXISTS (SELECT 1 FROM lease WHERE {HOLDS})"
)
_RELEASE: Final = "DELETE FROM lease WHERE saga = ?"
_CLAIMED: Final = "SELECT saga, settled IS NOT NULL FROM lease ORDER BY saga"
_NUMBER: Final = "SELECT number FROM lease WHERE saga = ?"
_READ: Final = "SELECT number, kind, body, checksum FROM record WHERE saga = ? ORDER BY number"
# The kinds stand in the text, as in the index: with parameters SQLite would not use it.
_OPEN: Final = (
    "SELECT saga FROM record AS first WHERE kind = 'started' AND NOT EXISTS "
    "(SELECT 1 FROM record AS last WHERE last.kind = 'closed' AND last.saga = first.saga AND NOT EXISTS "
    "(SELECT 1 FROM record AS later WHERE later.saga = last.saga AND later.number > last.number)) ORDER BY id"
)

_decode = JSONDecoder().decode


class SqliteJournal(WriteOffTable):
    """Keep the records and the leases of all sagas in one file, or in memory for ":memory:".

    Threads may share one; processes may each open the file. Open it after a fork, not before: SQLite does
    not survive one (sqlite.org/howtocorrupt.html, 2.6). Raises `UnreadableJournal` for a file that is not a
    whole journal of this version, `JournalError` for one that cannot be opened. `machine` says, for leases,
    what time it is and which processes are alive.
    """

    _file: OpenedFile | None = None  # one that is only read is none

    def __init__(self, path: str | os.PathLike[str], *, machine: Machine | None = None) -> None:
        self.path = os.fspath(path)
        self.machine = machine or ThisMachine()
        self._lock = threading.Lock()
        self._in_memory = self.path == ":memory:"
        self._connection = open_memory() if self._in_memory else open_file(self.path)
        self._process = os.getpid()
        if not self._in_memory:
            self._file = OpenedFile(self.path)

    def begin(self, saga: str, record: Record, seconds: float) -> Lease:
        """Keep the first record of a saga and claim it; see `LeasedJournal.begin`."""
        row = _row(saga, 1, record)
        with self.transaction(f"record 1 of saga {saga!r} was not kept", Superseded(saga, 1)) as connection:
            connection.execute(_APPEND, row)
            return self.grant(connection, saga, 1, seconds, number=1)

    def append(self, saga: str, number: int, record: Record, lease: Lease | None = None) -> None:
        """Keep a record for good; see `Journal.append` and `LeasedJournal.append`."""
        row = _row(saga, number, record)
        if lease is not None and (record.kind == "closed" or lease.is_due(self.machine.now())):
            return self._append_and_more(saga, number, record, lease)
        try:
            connection = self._here()
            with self._lock:
                if lease is None:
                    connection.execute(_APPEND, row)
                elif not connection.execute(_APPEND_HELD, (*row, saga, lease.epoch, lease.holder)).rowcount:
                    raise Superseded(saga, number)
        except sqlite3.IntegrityError as error:
            raise Superseded(saga, number) from error
        except sqlite3.Error as error:
            raise self._failed(f"record {number} of saga {saga!r} was not kept", error) from error

    def _append_and_more(self, saga: str, number: int, record: Record, lease: Lease) -> None:
        """Keep a record and renew the lease with it, or end it."""
        row = (*_row(saga, number, record), saga, lease.epoch, lease.holder)
        what = f"record {number} of saga {saga!r} was not kept"
        with self.transaction(what, Superseded(saga, number)) as connection:
            if not connection.execute(_APPEND_HELD, row).rowcount:
                raise Superseded(saga, number)
            if record.kind == "closed":
                connection.execute(_RELEASE, (saga,))
            else:
                self.renew(connection, lease)

    @contextmanager
    def transaction(self, what: str, taken: Superseded | None = None) -> Iterator[sqlite3.Connection]:
        """Do several things at once, or none; `taken` is raised if a number is in use."""
        try:
            connection = self._here()
            with self._lock:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:  # a full disk may have ended it
                        connection.execute("ROLLBACK")
                    raise
        except sqlite3.IntegrityError as error:
            raise taken or self._failed(what, error) from error
        except sqlite3.Error as error:
            raise self._failed(what, error) from error

    def read(self, saga: str) -> list[Record]:
        """The records of a saga; raises `UnreadableJournal` if one is missing or not what was written."""
        with self._reading():
            connection = self._here()
            with self._lock:
                last = self._last(connection, saga)  # first: meanwhile there may only be more records
                rows = connection.execute(_READ, (saga,)).fetchall()
        found: list[Record] = []
        for row in rows:
            found.append(self._record(saga, found, row))
        if found and len(found) < last:
            problem = (
                f"the end of saga {saga!r} is missing in {self.path}: records {len(found) + 1} to {last}"
            )
            raise UnreadableJournal(f"{problem}. {_ASK_A_PERSON}", found)
        return found

    def _last(self, connection: sqlite3.Connection, saga: str) -> int:
        """The number of the last record that an open saga has had; 0 if nobody has kept it."""
        row = connection.execute(_NUMBER, (saga,)).fetchone()
        return 0 if row is None else int(row[0])

    def open_sagas(self) -> list[str]:
        """The sagas of which the last record is not `closed`, oldest first."""
        with self._reading():
            connection = self._here()
            with self._lock:
                found = dict.fromkeys(saga for (saga,) in connection.execute(_OPEN))
                # One that is claimed and has no start is not whole, and all the more to be looked at.
                claimed = dict(connection.execute(_CLAIMED).fetchall())
        return [saga for saga in {**found, **claimed} if not claimed.get(saga)]

    def clear(self) -> None:
        """Forget all sagas, open ones too: for a journal that is used again for the next trial."""
        with self._reading():
            connection = self._here()
            with self._lock:
                connection.execute("DELETE FROM record")
                connection.execute("DELETE FROM lease")

    def close(self) -> None:
        """Let go of the file; a second call does nothing. What was in memory is gone."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _here(self) -> sqlite3.Connection:
        """The connection; not asked for under the lock, which in a fork may be held for ever."""
        if not self._in_memory and os.getpid() != self._process:
            raise JournalError(
                f"the journal {self.path} was opened by process {self._process}, and this is its fork. "
                "Open a SqliteJournal of its own in each process, after the fork"
            )
        if self._file is not None:
            self._file.confirm()
        return self._connection

    def _record(self, saga: str, before: list[Record], row: tuple[int, str, str, int]) -> Record:
        expected = len(before) + 1
        number, kind, body, checksum = row
        if number != expected:
            problem = f"record {expected} of saga {saga!r} is missing in {self.path}"
        elif checksum != _checksum(saga, number, kind, body):
            problem = f"record {number} of saga {saga!r} in {self.path} is not what was written"
        else:
            return Record(cast("Kind", kind), _decode(body))
        raise UnreadableJournal(f"{problem}. {_ASK_A_PERSON}", before)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._failed("it cannot be asked", error) from error

    def _failed(self, what: str, error: sqlite3.Error) -> JournalError:
        text = f"the journal {self.path}: {what}: {error}"
        # Its subclasses speak of a lock, a full disk, a closed connection; the class itself of the file.
        # Only that a table is gone comes as one of them, too.
        if type(error) is sqlite3.DatabaseError or "no such table" in str(error):
            return UnreadableJournal(f"{text}. {_ASK_A_PERSON}")
        return JournalError(text)


_ASK_A_PERSON: Final = (
    "Restore the file from a copy, or settle its open sagas by hand, before anything goes on"
)


def _row(saga: str, number: int, record: Record) -> tuple[str, int, str, str, int]:
    text = to_text(record.body)
    return (saga, number, record.kind, text, _checksum(saga, number, record.kind, text))


def _checksum(saga: str, number: int, kind: str, body: str) -> int:
    return zlib.crc32(f"{saga}\0{number}\0{kind}\0{body}".encode("utf-8", "surrogatepass"))
