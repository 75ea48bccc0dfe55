"""The journal that a world lends to a saga: that of production, in memory, with a tap around its writes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import TYPE_CHECKING, Any

from sagaproof._drivers.journal_store import journal_store
from sagaproof._taps.handle import WorldHandle

if TYPE_CHECKING:
    from sagaproof.saga.decision_state import Decided
    from sagaproof.saga.lease import Lease, ParkedSaga
    from sagaproof.saga.record import Record
    from sagaproof.saga.sqlite_journal import SqliteJournal

__all__ = ["Journals", "WorldJournal"]

_LEASES = "SELECT saga, epoch, attempts, parked, told, settled FROM lease ORDER BY saga"


class WorldJournal:
    """A journal of which each write is a point of the run, and which a dead process cannot even read."""

    def __init__(self, journal: SqliteJournal, world: WorldHandle) -> None:
        journal.machine = WorldMachine(world)
        self._journal = journal
        self._world = world
        self._seconds: dict[str, float] = {}
        self._leases: dict[tuple[str, int], Lease] = {}
        self._append = world.durable(self._keep, store=journal_store(journal))

    def begin(self, saga: str, record: Record, seconds: float) -> Lease:
        """Write the first record, and claim the saga with it."""
        self._seconds[saga] = seconds
        lease: Lease = self._append(saga, 1, record)
        return lease

    def append(self, saga: str, number: int, record: Record, lease: Lease | None = None) -> None:
        """Write a record, as the journal inside does."""
        if lease is not None:
            self._leases[saga, number] = lease
        self._append(saga, number, record)

    def _keep(self, saga: str, number: int, record: Record) -> Lease | None:
        """The write behind the tap: what is told of it are the record and its place, and no lease."""
        seconds = self._seconds.pop(saga, None)
        if seconds is not None:
            return self._journal.begin(saga, record, seconds)
        self._journal.append(saga, number, record, self._leases.pop((saga, number), None))
        return None

    def claim(self, saga: str, seconds: float, **options: Any) -> Lease:
        """Claim a saga; see `LeasedJournal.claim`."""
        return self._alive().claim(saga, seconds, **options)

    def confirm(self, lease: Lease) -> None:
        """See that a lease is still the one that counts."""
        self._alive().confirm(lease)

    def settle(self, leases: Iterable[Lease]) -> None:
        """Count anew for sagas that were taken up with success."""
        self._alive().settle(leases)

    def release(self, lease: Lease) -> None:
        """Give a lease back."""
        self._alive().release(lease)

    def park(self, lease: Lease, reason: str) -> ParkedSaga:
        """Have a saga left alone."""
        return self._alive().park(lease, reason)

    def parked(self) -> list[ParkedSaga]:
        """The sagas that are left alone."""
        return self._alive().parked()

    def told(self, parked: ParkedSaga) -> None:
        """Remember that the desk was told."""
        self._alive().told(parked)

    def write_off(self, saga: str, problem: str, decided: Decided) -> None:
        """Settle a saga that cannot be read."""
        self._alive().write_off(saga, problem, decided)

    def written_off(self) -> dict[str, Decided]:
        """What was decided about such sagas."""
        return self._alive().written_off()

    def read(self, saga: str) -> list[Record]:
        """The records of a saga."""
        return self._alive().read(saga)

    def open_sagas(self) -> list[str]:
        """The sagas that are not closed."""
        return self._alive().open_sagas()

    def _alive(self) -> SqliteJournal:
        self._world.gate.process.refuse_the_dead()
        return self._journal


class WorldMachine:
    """The machine of a world: its clock, and its processes by how often it was started again."""

    def __init__(self, world: WorldHandle) -> None:
        self._world = world

    def now(self) -> float:
        """Seconds of the run."""
        return self._world.clock.elapsed

    def process(self) -> str:
        """The number of the restart."""
        return str(self._world.gate.process.restarts)

    def is_alive(self, process: str) -> bool:
        """Whether it runs or stands still."""
        return self._world.gate.process.is_alive(int(process))


class Journals:
    """Makes the journal of each run: the same one each time, emptied, for to open one takes long.

    From `use_file` on it is that file instead, opened anew by each process, as in production: for one that is
    killed in earnest nothing in memory would do.
    """

    def __init__(self) -> None:
        self._file: Path | None = None
        self._empty = b""
        self._journal: SqliteJournal | None = None
        self._is_lent = False

    def begin(self) -> None:
        """A run begins, and nobody has asked for its journal."""
        self._is_lent = False

    def __call__(self, world: WorldHandle) -> WorldJournal:
        """An empty journal for the current run."""
        self._is_lent = True
        if self._file is not None:
            return WorldJournal(_opened(self._file), world)
        if self._journal is None:
            self._journal = _opened(":memory:")
        self._journal.clear()
        return WorldJournal(self._journal, world)

    def use_file(self, path: Path | None) -> None:
        """Keep the journal in this file, of which nothing is there yet; None: in memory again."""
        self._file = path
        if path is None or self._journal is None:
            return  # no saga has asked for a journal so far: whoever does makes the file
        if not self._empty:  # to make one takes longer than all that a short saga writes into it
            type(self._journal)(path).close()
            self._empty = path.read_bytes()
        path.write_bytes(self._empty)

    def leases(self) -> Hashable:
        """What a new process finds of leases: how often a saga was taken up in vain, not who drives it."""
        if self._file is None:
            journal = self._journal
            if journal is None or not self._is_lent:
                return ()
            return tuple(journal._connection.execute(_LEASES))  # noqa: SLF001  # ours as well
        if not self._file.exists():
            return ()
        # Read only: who closes it last must not put in order what the dead process has left behind.
        with closing(connect(f"{self._file.as_uri()}?mode=ro", uri=True)) as connection:
            return tuple(connection.execute(_LEASES))

    def close(self) -> None:
        """Let go of it."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None


def _opened(path: Path | str) -> SqliteJournal:
    """A journal whose errors name it alike wherever it is kept: histories hold their words."""
    from sagaproof.saga.sqlite_journal import SqliteJournal  # noqa: PLC0415  # most sagas have none

    journal = SqliteJournal(path)
    journal.path = "world.journal"
    return journal
