"""The leases in a SQLite journal: one row for each saga that somebody has claimed and nobody has closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Final

from sagaproof.saga.journal import Leased, Parked, Superseded, WrittenOff
from sagaproof.saga.lease import Lease, ParkedSaga, is_held_here, new_holder
from sagaproof.saga.lease_machine import Machine

__all__ = ["COUNTED", "HOLDS", "LEASES", "LeaseTable"]

LEASES: Final = """
CREATE TABLE lease (
    saga TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    holder TEXT NOT NULL,
    since REAL NOT NULL,
    until REAL NOT NULL,
    attempts INTEGER NOT NULL,
    parked TEXT,
    told INTEGER NOT NULL DEFAULT 0,
    number INTEGER NOT NULL DEFAULT 0,
    settled TEXT
) WITHOUT ROWID;
"""

COUNTED: Final = """
CREATE TRIGGER counted AFTER INSERT ON record
BEGIN UPDATE lease SET number = new.number WHERE saga = new.saga; END;
"""
"""With a record its number is kept a second time: a saga that is shorter than that has lost its end."""

HOLDS: Final = "saga = ? AND epoch = ? AND holder = ?"
"""The condition under which a lease is the one that counts."""

_ROW: Final = (
    "SELECT epoch, holder, since, until, attempts, parked, number, settled FROM lease WHERE saga = ?"
)
_LAST: Final = "SELECT coalesce(max(number), 0) FROM record WHERE saga = ?"
_FIRST: Final = (
    "INSERT INTO lease (saga, epoch, holder, since, until, attempts, number) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_CLAIM: Final = _FIRST.replace("INSERT", "INSERT OR REPLACE")
_RENEW: Final = f"UPDATE lease SET since = ?, until = ? WHERE {HOLDS}"  # noqa: S608 - a constant
_SETTLE: Final = f"UPDATE lease SET attempts = 0 WHERE {HOLDS}"  # noqa: S608 - a constant
_FREED: Final = f"UPDATE lease SET holder = '', until = 0 WHERE {HOLDS}"  # noqa: S608 - a constant
# What is open keeps its row, and with it the number of its last record.
_RELEASE: Final = (
    f"DELETE FROM lease WHERE {HOLDS} AND 'closed' = "  # noqa: S608 - a constant
    "(SELECT kind FROM record WHERE record.saga = lease.saga ORDER BY record.number DESC LIMIT 1)"
)
_PARK: Final = f"UPDATE lease SET holder = '', until = 0, parked = ?, told = 0 WHERE {HOLDS}"  # noqa: S608
_PARKED: Final = (
    "SELECT saga, parked, attempts, epoch, told FROM lease "
    "WHERE parked IS NOT NULL AND settled IS NULL ORDER BY saga"
)
_TOLD: Final = "UPDATE lease SET told = 1 WHERE saga = ? AND epoch = ? AND parked IS NOT NULL"

_FREE: Final = (0, "", 0.0, 0.0, 0, None, 0, None)


class LeaseTable:
    """The part of `SqliteJournal` that keeps leases; see `LeasedJournal`."""

    machine: Machine

    def transaction(self, what: str) -> AbstractContextManager[sqlite3.Connection]:
        """The connection, to do several things at once; `what` is said if it fails."""
        raise NotImplementedError

    def claim(
        self,
        saga: str,
        seconds: float,
        *,
        attempt: bool = False,
        parked: bool = False,
        own: Lease | None = None,
        settled: Iterable[Lease] = (),
    ) -> Lease:
        """Claim a saga; see `LeasedJournal.claim`."""
        with self.transaction(f"the saga {saga!r} was not claimed") as connection:
            epoch, holder, since, until, attempts, reason, last, off = (
                connection.execute(_ROW, (saga,)).fetchone() or _FREE
            )
            if off is not None:
                raise WrittenOff(saga, reason or "its records are damaged")
            if reason is not None and not parked:
                raise Parked(saga, reason)
            if own is None or own.holder != holder:
                self._refuse_held(saga, holder, since, until)
            attempts = (0 if reason is not None else attempts) + attempt
            (number,) = connection.execute(_LAST, (saga,)).fetchone()
            lease = self.grant(
                connection, saga, epoch + 1, seconds, number=number, last=last, attempts=attempts
            )
            self._settle(connection, settled)
            return lease

    def refuse_held(self, connection: sqlite3.Connection, saga: str) -> None:
        """Raise `Leased` if somebody is at work on the saga, within a transaction."""
        _, holder, since, until, *_ = connection.execute(_ROW, (saga,)).fetchone() or _FREE
        self._refuse_held(saga, holder, since, until)

    def _refuse_held(self, saga: str, holder: str, since: float, until: float) -> None:
        now = self.machine.now()
        if holder and since <= now < until:
            process = holder.rpartition("#")[0]
            if self._is_alive(process, holder):
                raise Leased(saga, process, until - now)

    def grant(
        self,
        connection: sqlite3.Connection,
        saga: str,
        epoch: int,
        seconds: float,
        *,
        number: int,
        last: int = 0,
        attempts: int = 0,
    ) -> Lease:
        """Write a lease down, within a transaction; `last` is the number that was kept of the last record."""
        now, holder = self.machine.now(), new_holder(self.machine.process())
        connection.execute(
            _CLAIM if epoch > 1 else _FIRST,
            (saga, epoch, holder, now, now + seconds, attempts, max(number, last)),
        )
        return Lease(
            saga, epoch, holder, until=now + seconds, seconds=seconds, number=number, attempts=attempts
        )

    def confirm(self, lease: Lease) -> None:
        """Renew it if that is due; see `LeasedJournal.confirm`."""
        if lease.is_due(self.machine.now()):
            with self.transaction(f"the lease of saga {lease.saga!r} was not renewed") as connection:
                self.renew(connection, lease)

    def renew(self, connection: sqlite3.Connection, lease: Lease) -> None:
        """Have it last for its whole time from now on, within a transaction; raises `Superseded`."""
        now = self.machine.now()
        row = (now, now + lease.seconds, lease.saga, lease.epoch, lease.holder)
        if not connection.execute(_RENEW, row).rowcount:
            raise Superseded(lease.saga)
        lease.until = now + lease.seconds

    def settle(self, leases: Iterable[Lease]) -> None:
        """Count anew; see `LeasedJournal.settle`."""
        if leases := list(leases):
            with self.transaction("what was recovered was not noted") as connection:
                self._settle(connection, leases)

    def _settle(self, connection: sqlite3.Connection, leases: Iterable[Lease]) -> None:
        for lease in leases:
            connection.execute(_SETTLE, _key(lease))
            lease.attempts = 0

    def release(self, lease: Lease) -> None:
        """Give it back; see `LeasedJournal.release`."""
        with self.transaction(f"the saga {lease.saga!r} was not let go of") as connection:
            connection.execute(_RELEASE, _key(lease))
            connection.execute(_FREED, _key(lease))

    def park(self, lease: Lease, reason: str) -> ParkedSaga:
        """Have it left alone; see `LeasedJournal.park`."""
        with self.transaction(f"the saga {lease.saga!r} was not parked") as connection:
            if not connection.execute(_PARK, (reason, *_key(lease))).rowcount:
                raise Superseded(lease.saga)
        return ParkedSaga(lease.saga, reason, lease.attempts, lease.epoch)

    def parked(self) -> list[ParkedSaga]:
        """Those that are parked; see `LeasedJournal.parked`."""
        with self.transaction("it cannot be asked for what is parked") as connection:
            rows = connection.execute(_PARKED).fetchall()
        return [
            ParkedSaga(saga, reason, attempts, epoch, bool(told))
            for saga, reason, attempts, epoch, told in rows
        ]

    def told(self, parked: ParkedSaga) -> None:
        """Remember that the desk knows; see `LeasedJournal.told`."""
        with self.transaction("that the desk was told was not noted") as connection:
            connection.execute(_TOLD, (parked.saga, parked.epoch))

    def _is_alive(self, process: str, holder: str) -> bool:
        if process == self.machine.process():
            return is_held_here(holder)
        return self.machine.is_alive(process)


def _key(lease: Lease) -> tuple[str, int, str]:
    return (lease.saga, lease.epoch, lease.holder)
