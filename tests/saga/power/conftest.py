"""A disk in memory that loses what was not synced, sector by sector, when the power goes.

SQLite reaches it by a VFS of apsw. What is written goes to an image and to a list of sectors; a sync makes
them durable. When the power goes, a random part of the other sectors is there all the same. A disk that
`lies` says that it has synced and has not. Files that are made or deleted are so at once.
"""

# ruff: noqa: N802  # the names of the methods are those of SQLite

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Self

import apsw
import pytest

from sagaproof.saga import Record, SqliteJournal
from sagaproof.saga.journal_file import _TABLES, _refuse_foreign, _set_durable

SECTOR = 512


class PowerLoss(BaseException):
    """The power goes here."""


@dataclass
class Storage:
    """One file: how it is for whoever reads it now, how it is on the disk, which sectors differ."""

    now: bytearray = field(default_factory=bytearray)
    kept: bytearray = field(default_factory=bytearray)
    dirty: set[int] = field(default_factory=set)

    def sync(self) -> None:
        """Make all of it durable."""
        self.kept, self.dirty = bytearray(self.now), set()

    def after_loss(self, chance: random.Random) -> Storage:
        """What is found when the power is back."""
        left = bytearray(self.kept)
        for sector in sorted(self.dirty):
            start = sector * SECTOR
            new = self.now[start : start + SECTOR]
            if chance.random() < 0.5 and new:
                left.extend(bytes(max(0, start + len(new) - len(left))))
                left[start : start + len(new)] = new
        return Storage(left, bytearray(left))


class Disk:
    """The files of one machine. `until` counts down to the loss of power, by writes and syncs."""

    def __init__(self, chance: random.Random, *, lies: bool = False) -> None:
        self.files: dict[str, Storage] = {}
        self.lies = lies
        self.until: int | None = None
        self.is_down = False
        self._chance = chance

    def use(self) -> None:
        """Count one write or sync; raises `PowerLoss` at the last one, and from there on."""
        if self.until is not None and not self.is_down:
            self.until -= 1
            self.is_down = self.until < 0
        self.refuse_if_down()

    def refuse_if_down(self) -> None:
        """Raise `PowerLoss` if there is no power."""
        if self.is_down:
            raise PowerLoss

    def restart(self) -> Disk:
        """The disk as it is found when the power is back."""
        again = Disk(self._chance, lies=self.lies)
        again.files = {name: file.after_loss(self._chance) for name, file in self.files.items()}
        return again


class File:
    """One open file, as SQLite asks for it."""

    def __init__(self, disk: Disk, storage: Storage) -> None:
        self._disk = disk
        self._storage = storage

    def xRead(self, amount: int, offset: int) -> bytes:
        return bytes(self._storage.now[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.use()
        now = self._storage.now
        now.extend(bytes(max(0, offset + len(data) - len(now))))
        now[offset : offset + len(data)] = data
        self._storage.dirty.update(range(offset // SECTOR, (offset + len(data) - 1) // SECTOR + 1))

    def xSync(self, _flags: int) -> None:
        self._disk.use()
        if not self._disk.lies:
            self._storage.sync()

    def xTruncate(self, size: int) -> None:
        self._disk.use()
        del self._storage.now[size:]
        del self._storage.kept[size:]
        self._storage.dirty = {sector for sector in self._storage.dirty if sector * SECTOR < size}

    def xFileSize(self) -> int:
        return len(self._storage.now)

    def xSectorSize(self) -> int:
        return SECTOR

    def xDeviceCharacteristics(self) -> int:
        return 0

    def xFileControl(self, _op: int, _pointer: int) -> bool:
        return False

    def xCheckReservedLock(self) -> bool:
        return False

    def xLock(self, _level: int) -> None: ...

    def xUnlock(self, _level: int) -> None: ...

    def xClose(self) -> None: ...


class Vfs(apsw.VFS):
    """The way of SQLite to a disk; `disk` is the one that is there now."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.name = name
        self.disk = Disk(random.Random(0))

    def xOpen(self, name: Any, flags: list[int]) -> Any:
        path = str(name.filename()) if isinstance(name, apsw.URIFilename) else str(name)
        flags[1] = flags[0]
        return File(self.disk, self.disk.files.setdefault(path, Storage()))

    def xDelete(self, path: str, _sync: bool) -> None:
        self.disk.use()
        self.disk.files.pop(path, None)

    def xAccess(self, path: str, _flags: int) -> bool:
        return path in self.disk.files

    def xFullPathname(self, name: str) -> str:
        return name


class Cursor:
    """What `sqlite3` would give: apsw has no `rowcount`."""

    def __init__(self, rows: Sequence[Any], rowcount: int) -> None:
        self._rows = list(rows)
        self.rowcount = rowcount

    def fetchone(self) -> Any:
        return self._rows.pop(0) if self._rows else None

    def fetchall(self) -> list[Any]:
        rows, self._rows = self._rows, []
        return rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchall())


class Connection:
    """A connection of apsw that behaves as one of `sqlite3`, as far as the journal asks."""

    def __init__(self, inner: apsw.Connection, disk: Disk) -> None:
        self._inner = inner
        self._disk = disk

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Cursor:
        self._disk.refuse_if_down()
        try:
            return Cursor(self._inner.execute(sql, values).fetchall(), self._inner.changes())
        except apsw.ConstraintError as error:
            raise sqlite3.IntegrityError(str(error)) from error
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise sqlite3.DatabaseError(str(error)) from error

    def executescript(self, sql: str) -> None:
        self.execute(sql)

    @property
    def in_transaction(self) -> bool:
        return not self._disk.is_down and self._inner.in_transaction

    def close(self) -> None:
        self._inner.close()


class Booted:
    """A machine that was started for the `boot`-th time: no process of another boot is alive."""

    def __init__(self, boot: int) -> None:
        self._boot = boot
        self._ticks = count()

    def now(self) -> float:
        return next(self._ticks) / 1000

    def process(self) -> str:
        return f"boot-{self._boot}"

    def is_alive(self, process: str) -> bool:
        return process == self.process()


class PowerJournal(SqliteJournal):
    """The journal of production, its SQL and its settings, on a disk that can lose its power.

    `acked` holds what was told to be kept. `synchronous` is FULL unless a test has it otherwise.
    """

    def __init__(self, vfs: Vfs, boot: int, *, synchronous: str = "FULL") -> None:
        self.path = "journal"
        self.machine = Booted(boot)
        self.acked: list[tuple[str, int, Record]] = []
        self._lock = threading.Lock()
        self._in_memory = True  # there is no file that a fork could share
        self._process = 0
        made = "journal" in vfs.disk.files
        inner = apsw.Connection("journal", vfs=vfs.name)
        found = Connection(inner, vfs.disk)
        # A VFS in Python has no shared memory: before it can use a WAL, it must have the file for itself.
        found.execute("PRAGMA locking_mode = EXCLUSIVE")
        if not made:
            found.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; {_TABLES}")
            found.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for file in vfs.disk.files.values():  # the file is moved to its place when all of it is there
                file.sync()
        _refuse_foreign(found, self.path)  # type: ignore[arg-type]
        _set_durable(found, self.path)  # type: ignore[arg-type]
        found.execute(f"PRAGMA synchronous = {synchronous}")
        self._connection = found  # type: ignore[assignment]

    def begin(self, saga: str, record: Record, seconds: float) -> Any:
        lease = super().begin(saga, record, seconds)
        self.acked.append((saga, 1, record))
        return lease

    def append(self, saga: str, number: int, record: Record, lease: Any = None) -> None:
        super().append(saga, number, record, lease)
        self.acked.append((saga, number, record))


class Machine:
    """A machine with a journal that is switched off and on again. `settings` are those of the journal.

    Use it as a context manager, one after the other. `acked` is what was told to be kept so far.
    """

    def __init__(self, seed: int, *, lies: bool = False, **settings: str) -> None:
        self.chance = random.Random(seed)
        self.acked: list[tuple[str, int, Record]] = []
        self.boots = 0
        self._settings = settings
        self._vfs = Vfs(f"power-{next(_NUMBERS)}")
        self._vfs.disk = Disk(self.chance, lies=lies)
        self.journal = PowerJournal(self._vfs, 0, **settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self._close()
        self._vfs.unregister()

    @property
    def disk(self) -> Disk:
        """The disk as it is now."""
        return self._vfs.disk

    def refuse_if_down(self) -> None:
        """Raise `PowerLoss` if there is no power."""
        self.disk.refuse_if_down()

    def lose_power(self) -> None:
        """Lose the power, have it back, open the journal."""
        self.acked += self.journal.acked
        found = self.disk.restart()
        self._close()
        self._vfs.disk = found
        self.boots += 1
        self.journal = PowerJournal(self._vfs, self.boots, **self._settings)

    def _close(self) -> None:
        """Close the file; what that writes goes to a disk that nobody will look at again."""
        self.disk.is_down, self.disk.until = False, None
        self.journal.close()


_NUMBERS = count()


@pytest.fixture
def machine() -> type[Machine]:
    """A machine to be switched off."""
    return Machine


@pytest.fixture
def power_loss() -> type[PowerLoss]:
    """What a process meets then."""
    return PowerLoss
