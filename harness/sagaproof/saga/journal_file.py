"""The SQLite database of a journal: made whole or not at all, and refused if it is not one of ours."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from sagaproof.saga.journal import JournalError, UnreadableJournal

__all__ = ["APPLICATION_ID", "VERSION", "open_file", "open_memory"]

APPLICATION_ID: Final = 0x5361676A
"""Marks a SQLite file as a journal of this runtime ("Sagj" in its header)."""

VERSION: Final = 1
"""Of the tables. A file of another version is refused."""

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
    except sqlite3.OperationalError as error:
        connection.close()
        raise JournalError(f"the journal {path} cannot be opened: {error}") from error
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
    if version != VERSION:
        raise UnreadableJournal(
            f"{path} is a journal of version {version}, and this runtime knows {VERSION}. "
            "Use the release that wrote it until its sagas are closed"
        )
    if problem != "ok":
        raise UnreadableJournal(f"{path} is a broken journal: {problem}. {_HANDS_OFF}")


_HANDS_OFF: Final = "It was left as it is: name another file, or bring back the right one"
