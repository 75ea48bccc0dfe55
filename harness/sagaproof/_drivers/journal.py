"""The journal that a world lends to a saga: that of production, in memory, with a tap around its writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sagaproof._taps.handle import WorldHandle

if TYPE_CHECKING:
    from sagaproof.saga.journal import Journal
    from sagaproof.saga.record import Record
    from sagaproof.saga.sqlite_journal import SqliteJournal

__all__ = ["Journals", "WorldJournal"]


class WorldJournal:
    """A journal of which each write is a point of the run, and which a dead process cannot even read."""

    def __init__(self, journal: Journal, world: WorldHandle) -> None:
        self._journal = journal
        self._world = world
        self._append = world.durable(journal.append)

    def append(self, saga: str, number: int, record: Record) -> None:
        """Write a record, as the journal inside does."""
        self._append(saga, number, record)

    def read(self, saga: str) -> list[Record]:
        """The records of a saga."""
        self._world.gate.process.refuse_the_dead()
        return self._journal.read(saga)

    def open_sagas(self) -> list[str]:
        """The sagas that are not closed."""
        self._world.gate.process.refuse_the_dead()
        return self._journal.open_sagas()


class Journals:
    """Makes the journal of each run: the same one each time, emptied, for to open one takes long."""

    def __init__(self) -> None:
        self._journal: SqliteJournal | None = None

    def __call__(self, world: WorldHandle) -> WorldJournal:
        """An empty journal for the current run."""
        if self._journal is None:
            from sagaproof.saga.sqlite_journal import SqliteJournal  # noqa: PLC0415  # most sagas have none

            self._journal = SqliteJournal(":memory:")
        self._journal.clear()
        return WorldJournal(self._journal, world)

    def close(self) -> None:
        """Let go of it."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
