"""A journal file that is only looked at, while others may be at work in it."""

from __future__ import annotations

import os
import sqlite3
import threading
from typing import Final

from sagaproof.saga.decision_state import Decided
from sagaproof.saga.journal_file import open_to_read
from sagaproof.saga.lease_machine import ThisMachine
from sagaproof.saga.sqlite_journal import SqliteJournal
from sagaproof.saga.write_off_table import decided_in

__all__ = ["JournalReader"]

# What a person may be asked about: what is open, and what was escalated, be it settled or not.
_WATCHED: Final = (
    "SELECT saga FROM record GROUP BY saga "
    "HAVING max(kind = 'case') OR NOT max(kind = 'closed') OR max(number * (kind = 'closed')) < max(number) "
    "ORDER BY min(id)"
)
_PARKED: Final = "SELECT saga, parked FROM lease WHERE parked IS NOT NULL"
_BARE: Final = "SELECT saga FROM lease WHERE saga NOT IN (SELECT saga FROM record) ORDER BY saga"


class JournalReader(SqliteJournal):
    """Reads a journal file; to write with it is an error.

    Raises `JournalError` if there is none, `UnreadableJournal` if it is not a whole one.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.machine = ThisMachine()
        self._lock = threading.Lock()
        self._in_memory = False
        self._connection = open_to_read(self.path)
        self._process = os.getpid()

    def watched(self) -> list[str]:
        """The sagas that are open, or were handed to a person, oldest first; last those without records."""
        with self._reading(), self._lock:
            found = [saga for (saga,) in self._here().execute(_WATCHED)]
        return [*found, *self.bare()]

    def bare(self) -> list[str]:
        """The sagas that somebody had begun, and of which no record is left."""
        return [saga for (saga,) in self._of_leases(_BARE)]

    def reasons(self) -> dict[str, str]:
        """The sagas that are parked, with the reason."""
        return {saga: reason for saga, reason in self._of_leases(_PARKED)}  # noqa: C416

    def written_off(self) -> dict[str, Decided]:
        """What was decided about sagas that cannot be read."""
        try:
            with self._lock:
                return decided_in(self._here())
        except sqlite3.OperationalError:  # an earlier file keeps none
            return {}

    def _last(self, connection: sqlite3.Connection, saga: str) -> int:
        try:
            return super()._last(connection, saga)
        except sqlite3.OperationalError:  # nor the number of the last record
            return 0

    def _of_leases(self, question: str) -> list[tuple[str, ...]]:
        try:
            with self._lock:
                return self._here().execute(question).fetchall()
        except sqlite3.OperationalError:  # a file of the first version has no leases
            return []
