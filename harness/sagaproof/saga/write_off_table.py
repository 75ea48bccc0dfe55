"""What a person decided about sagas that cannot be read, kept in a SQLite journal beside their leases."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from typing import Final

from sagaproof.saga.decision_state import Decided
from sagaproof.saga.journal import Superseded
from sagaproof.saga.lease_table import LeaseTable
from sagaproof.saga.record import to_text

__all__ = ["WriteOffTable", "decided_in"]

_OF_ALL: Final = "SELECT saga, settled FROM lease WHERE settled IS NOT NULL"
_WRITE_OFF: Final = (
    "INSERT INTO lease (saga, epoch, holder, since, until, attempts, parked, told, settled) "
    "VALUES (?, 1, '', 0, 0, 0, ?, 1, ?) ON CONFLICT (saga) DO UPDATE SET epoch = epoch + 1, holder = '', "
    "until = 0, parked = coalesce(parked, excluded.parked), told = 1, settled = excluded.settled "
    "WHERE settled IS NULL"
)


class WriteOffTable(LeaseTable):
    """The part of `SqliteJournal` that keeps such decisions; see `WriteOffs`."""

    def write_off(self, saga: str, problem: str, decided: Decided) -> None:
        """Keep what was decided; see `WriteOffs.write_off`."""
        row = (saga, problem, to_text(asdict(decided)))
        with self.transaction(f"what was decided about saga {saga!r} was not kept") as connection:
            self.refuse_held(connection, saga)
            if not connection.execute(_WRITE_OFF, row).rowcount:
                raise Superseded(saga)

    def written_off(self) -> dict[str, Decided]:
        """What was decided, by saga; see `WriteOffs.written_off`."""
        with self.transaction("it cannot be asked for what was decided") as connection:
            return decided_in(connection)


def decided_in(connection: sqlite3.Connection) -> dict[str, Decided]:
    """What was decided, by saga."""
    return {saga: Decided.of(json.loads(text)) for saga, text in connection.execute(_OF_ALL)}
