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
from sagaproof.saga.record import Kind, Record, to_text

__all__ = ["SqliteJournal"]

_APPEND: Final = "INSERT INTO record (saga, number, kind, body, checksum) VALUES (?, ?, ?, ?, ?)"
_READ: Final = "SELECT number, kind, body, checksum FROM record WHERE saga = ? ORDER BY number"
# The kinds stand in the text, as in the index: with parameters SQLite would not use it.
_OPEN: Final = (
    "SELECT saga FROM record AS first WHERE kind = 'started' AND NOT EXISTS "
    "(SELECT 1 FROM record AS last WHERE last.kind = 'closed' AND last.saga = first.saga) ORDER BY id"
)

_decode = JSONDecoder().decode


class SqliteJournal:
    """Keep the records of all sagas in one file, or in memory for ":memory:".

    Threads may share one; processes may each open the file. Open it after a fork, not before: SQLite does
    not survive one (sqlite.org/howtocorrupt.html, 2.6). Raises `UnreadableJournal` for a file that is not a
    whole journal of this version, `JournalError` for one that cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        self._in_memory = self.path == ":memory:"
        self._connection = open_memory() if self._in_memory else open_file(self.path)
        self._process = os.getpid()

    def append(self, saga: str, number: int, record: Record) -> None:
        """Keep a record for good; see `Journal.append`."""
        text = to_text(record.body)
        row = (saga, number, record.kind, text, _checksum(saga, number, record.kind, text))
        try:
            with self._lock:
                self._here().execute(_APPEND, row)
        except sqlite3.IntegrityError as error:
            raise Superseded(saga, number) from error
        except sqlite3.Error as error:
            raise self._failed(f"record {number} of saga {saga!r} was not kept", error) from error

    def read(self, saga: str) -> list[Record]:
        """The records of a saga; raises `UnreadableJournal` if one is missing or not what was written."""
        with self._reading(), self._lock:
            rows = self._here().execute(_READ, (saga,)).fetchall()
        return [self._record(saga, expected, row) for expected, row in enumerate(rows, start=1)]

    def open_sagas(self) -> list[str]:
        """The sagas that are started and not closed, oldest first."""
        with self._reading(), self._lock:
            return [saga for (saga,) in self._here().execute(_OPEN).fetchall()]

    def clear(self) -> None:
        """Forget all sagas, open ones too: for a journal that is used again for the next trial."""
        with self._reading(), self._lock:
            self._here().execute("DELETE FROM record")

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
        if not self._in_memory and os.getpid() != self._process:
            raise JournalError(
                f"the journal {self.path} was opened by process {self._process}, and this is its fork. "
                "Open a SqliteJournal of its own in each process, after the fork"
            )
        return self._connection

    def _record(self, saga: str, expected: int, row: tuple[int, str, str, int]) -> Record:
        number, kind, body, checksum = row
        if number != expected:
            problem = f"record {expected} of saga {saga!r} is missing in {self.path}"
        elif checksum != _checksum(saga, number, kind, body):
            problem = f"record {number} of saga {saga!r} in {self.path} is not what was written"
        else:
            return Record(cast("Kind", kind), _decode(body))
        raise UnreadableJournal(f"{problem}. {_ASK_A_PERSON}")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._failed("it cannot be asked", error) from error

    def _failed(self, what: str, error: sqlite3.Error) -> JournalError:
        text = f"the journal {self.path}: {what}: {error}"
        # Its subclasses speak of a lock, a full disk, a closed connection; the class itself of the file.
        if type(error) is sqlite3.DatabaseError:
            return UnreadableJournal(f"{text}. {_ASK_A_PERSON}")
        return JournalError(text)


_ASK_A_PERSON: Final = (
    "Restore the file from a copy, or settle its open sagas by hand, before anything goes on"
)


def _checksum(saga: str, number: int, kind: str, body: str) -> int:
    return zlib.crc32(f"{saga}\0{number}\0{kind}\0{body}".encode("utf-8", "surrogatepass"))
