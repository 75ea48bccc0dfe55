"""The SQLite database of a journal: made whole or not at all, and refused if it is not one of ours."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from sagaproof.saga.journal import JournalError, UnreadableJournal
from sagaproof.saga.lease_table import COUNTED, LEASES

__all__ = ["APPLICATION_ID", "VERSION", "open_file", "open_memory", "open_to_read"]

APPLICATION_ID: Final = 0x5361676A
"""Marks a SQLite file as a journal of this runtime ("Sagj" in its header)."""

VERSION: Final = 3
"""Of the tables. A file of version 1 (no leases) or 2 (no numbers in them) is brought up to date; others are
refused."""

_EARLIER: Final[dict[int, tuple[str, ...]]] = {
    1: (LEASES, COUNTED),
    2: (
        "ALTER TABLE lease ADD COLUMN number INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE lease ADD COLUMN settled TEXT",
        (
            "UPDATE lease SET number = "
            "(SELECT coalesce(max(number), 0) FROM record WHERE record.saga = lease.saga)"
        ),
        COUNTED,
    ),
}
"""What each earlier version still needs."""

_WAIT_FOR_LOCK_S: Final = 30.0

_TABLES: Final = f"""
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    saga TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (saga, number)
);
CREATE INDEX bounds ON record (kind, saga) WHERE kind = 'started' OR kind = 'closed';
{LEASES}
{COUNTED}
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""


def open_memory() -> sqlite3.Connection:
    """A new journal that lives as long as its connection."""
    connection = _connect(":memory:")
    connection.executescript(_TABLES)
    return connection


def open_file(path: str) -> sqlite3.Connection:
    """The journal at `path`, which is made if nothing is there; its folder must exist."""
    try:
        if not Path(path).exists():
            _make(Path(path))
        connection = _connect(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise JournalError(f"the journal {path} cannot be opened: {error}") from error
    try:
        _refuse_foreign(connection, path)
        _set_durable(connection, path)
        _bring_up_to_date(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        raise JournalError(f"the journal {path} cannot be opened: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: str) -> sqlite3.Connection:
    """The journal at `path` for looking at it: nothing is made, written or brought up to date."""
    if not Path(path).is_file():
        raise JournalError(f"there is no journal {path}")
    address = f"{Path(path).absolute().as_uri()}?mode=ro"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=_WAIT_FOR_LOCK_S, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise JournalError(f"the journal {path} cannot be opened: {error}") from error
    try:
        _refuse_foreign(connection, path)
    except sqlite3.OperationalError as error:
        connection.close()
        raise JournalError(f"the journal {path} cannot be read: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: str) -> sqlite3.Connection:
    # Without an isolation level each statement is a transaction of its own.
    return sqlite3.connect(path, timeout=_WAIT_FOR_LOCK_S, isolation_level=None, check_same_thread=False)


def _make(path: Path) -> None:
    """Make the file beside its place and move it there, so that no empty or half file ever has its name."""
    if (log := Path(f"{path}-wal")).exists():
        raise UnreadableJournal(
            f"{log} is there without {path}: the file that it belongs to is gone. Bring that back; "
            f"only if no saga in it can be open, remove {log.name}"
        )
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    os.close(handle)
    try:
        with closing(_connect(made)) as connection:
            connection.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; {_TABLES}")
        with suppress(FileExistsError):  # another process was first, and its journal is as good
            os.link(made, path)
    finally:
        Path(made).unlink()
    _sync(path.parent)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_durable(connection: sqlite3.Connection, path: str) -> None:
    """WAL with a sync on each commit: NORMAL would lose acknowledged records with the power."""
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise JournalError(f"the journal {path} stays in mode {mode!r}, not WAL. Put it on a local disk")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # macOS, where fsync alone does not reach the platter


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Give an earlier file what it lacks, whole or not at all; another process may do it just now."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in _EARLIER.get(connection.execute("PRAGMA user_version").fetchone()[0], ()):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_foreign(connection: sqlite3.Connection, path: str) -> None:
    """Look only, and change nothing in a file that is not ours."""
    try:
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        problem = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.OperationalError:
        raise  # a lock or a folder that cannot be written, not the file itself
    except sqlite3.DatabaseError as error:
        raise UnreadableJournal(f"{path} is no journal, or a broken one: {error}. {_HANDS_OFF}") from error
    if owner != APPLICATION_ID:
        raise UnreadableJournal(f"{path} is no journal of sagas (application_id {owner:#x}). {_HANDS_OFF}")
    if version != VERSION and version not in _EARLIER:
        raise UnreadableJournal(
            f"{path} is a journal of version {version}, and this runtime knows {VERSION}. "
            "Use the release that wrote it until its sagas are closed"
        )
    if problem != "ok":
        raise UnreadableJournal(f"{path} is a broken journal: {problem}. {_HANDS_OFF}")


_HANDS_OFF: Final = "It was left as it is: name another file, or bring back the right one"
