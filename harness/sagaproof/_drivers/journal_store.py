"""How the journal of the runtime comes to harm: a record is gone, cut off, altered, of another release."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sagaproof._taps.ready_stores import database
from sagaproof._taps.store import Store

if TYPE_CHECKING:
    from sqlite3 import Connection

    from sagaproof.saga.journal import Journal

__all__ = ["journal_store"]

_NEW = "WHERE id > ?"


def journal_store(journal: Journal) -> Store:
    """The hooks of a `SqliteJournal`; any other journal can at least refuse a record."""
    connection: Connection | None = getattr(journal, "_connection", None)
    if connection is None:
        return Store(fails=_refused)
    ask = connection.execute
    whole = database(connection)

    def before() -> tuple[Any, int]:
        return whole.before(), int(ask("SELECT coalesce(max(id), 0) FROM record").fetchone()[0])

    def altered(column: str, to: str) -> Callable[[tuple[Any, int]], Any]:
        return lambda old: ask(f"UPDATE record SET {column} = {to} {_NEW}", (old[1],))  # noqa: S608  # ours

    def outdate(old: tuple[Any, int]) -> None:
        """A whole record, of a kind that this release does not know."""
        from sagaproof.saga import sqlite_journal  # noqa: PLC0415  # most sagas have none

        rows = ask(f"SELECT id, saga, number, body FROM record {_NEW}", (old[1],)).fetchall()  # noqa: S608
        for row, saga, number, body in rows:
            sum_ = sqlite_journal._checksum(saga, number, _KIND, body)  # noqa: SLF001  # as that release would
            ask("UPDATE record SET kind = ?, checksum = ? WHERE id = ?", (_KIND, sum_, row))

    return Store(
        before,
        lose=lambda old: whole.harm("lose", old[0]),  # and the lease that came in its transaction
        tear=altered("body", "substr(body, 1, length(body) / 2)"),
        garble=altered("body", "replace(body, 'a', 'e') || ' '"),
        outdate=outdate,
        fails=_refused,
    )


_KIND = "of-a-later-release"


def _refused(error: OSError) -> BaseException:
    """What the journal makes of an error of the disk."""
    from sagaproof.saga.journal import JournalError  # noqa: PLC0415  # most sagas have none

    known = JournalError(f"the journal world.journal: the record was not kept: {error.strerror}")
    known.__cause__ = error
    return known
