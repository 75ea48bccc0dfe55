"""Hooks for the stores that most sagas have: lines in a file, a SQLite database, a dict, a list."""

from __future__ import annotations

import copy
import errno
import sqlite3
from collections.abc import MutableMapping, MutableSequence
from pathlib import Path
from typing import Any, Final

from sagaproof._taps.store import Store

__all__ = ["database", "file", "mapping", "sequence"]

_NOISE: Final = 0x15
"""Flips bits of a byte, and leaves it in ASCII if it was."""

_NEWLINE: Final = 0x0A


def file(path: Path | str) -> Store:
    """A file that is appended to, as JSON lines are, or rewritten: a write is lost, torn or garbled."""
    place = Path(path)

    def before() -> bytes | None:
        return place.read_bytes() if place.exists() else None

    def lose(old: bytes | None) -> None:
        if old is None:
            place.unlink(missing_ok=True)
        else:
            place.write_bytes(old)

    def tear(old: bytes | None) -> None:
        kept, new = _split(place.read_bytes(), old)
        place.write_bytes(kept + new[: len(new) // 2])

    def garble(old: bytes | None) -> None:
        kept, new = _split(place.read_bytes(), old)
        middle = range(len(new) // 3, 2 * len(new) // 3)
        noisy = (byte ^ _NOISE if at in middle and byte != _NEWLINE else byte for at, byte in enumerate(new))
        place.write_bytes(kept + bytes(noisy))

    return Store(before, lose=lose, tear=tear, garble=garble)


def _split(now: bytes, old: bytes | None) -> tuple[bytes, bytes]:
    """What was there before, and what was added; what was rewritten is all new.

    A last line that was torn may be cut off before another is added: the lines before it are kept.
    """
    whole = old[: old.rfind(b"\n") + 1] if old else b""
    for kept in (old, whole):
        if kept and now.startswith(kept):
            return kept, now[len(kept) :]
    return b"", now


def database(place: sqlite3.Connection | Path | str) -> Store:
    """A SQLite database: a transaction of it is whole or gone, never torn; errors are those of sqlite3.

    A path is opened anew each time, a connection must not be inside a transaction when a write has returned.
    """

    def opened() -> sqlite3.Connection:
        return place if isinstance(place, sqlite3.Connection) else sqlite3.connect(place)

    def done(connection: sqlite3.Connection) -> None:
        if connection is not place:
            connection.close()

    def before() -> sqlite3.Connection:
        connection, image = opened(), sqlite3.connect(":memory:")
        connection.backup(image)
        done(connection)
        return image

    def lose(image: sqlite3.Connection) -> None:
        connection = opened()
        image.backup(connection)
        done(connection)

    return Store(before, lose=lose, fails=_as_sqlite)


def _as_sqlite(error: OSError) -> sqlite3.OperationalError:
    """What SQLite makes of an error of the operating system: sqlite.org/rescode.html."""
    known = sqlite3.OperationalError(_SAID_BY_SQLITE.get(error.errno or 0, "disk I/O error"))
    known.__cause__ = error
    return known


_SAID_BY_SQLITE: Final = {
    errno.ENOSPC: "database or disk is full",
    errno.EROFS: "attempt to write a readonly database",
}


def mapping(entries: MutableMapping[Any, Any]) -> Store:
    """A dict that stands for a key-value store: a write is lost, or torn, so that its entry is empty."""

    def before() -> dict[Any, Any]:
        return copy.deepcopy(dict(entries))

    def lose(old: dict[Any, Any]) -> None:
        entries.clear()
        entries.update(old)

    def spoil(old: dict[Any, Any]) -> None:
        for key, value in entries.items():
            if key not in old or old[key] != value:
                entries[key] = None

    return Store(before, lose=lose, tear=spoil, garble=spoil)


def sequence(entries: MutableSequence[Any]) -> Store:
    """A list that stands for a log: what was appended is lost, or torn, so that there is nothing in it."""

    def lose(length: int) -> None:
        del entries[length:]

    def spoil(length: int) -> None:
        entries[length:] = [None] * (len(entries) - length)

    return Store(lambda: len(entries), lose=lose, tear=spoil, garble=spoil)
