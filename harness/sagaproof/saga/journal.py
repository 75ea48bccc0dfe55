"""What the runtime asks of a journal, and the errors with which one answers."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from sagaproof.saga.record import Record

__all__ = ["Journal", "JournalError", "Superseded", "UnreadableJournal"]


class JournalError(Exception):
    """The journal did not take a record, or cannot be asked: nothing may be sent on its strength."""


class UnreadableJournal(JournalError):
    """What is stored is no journal, or not a whole one. It is never read as an empty one.

    The sagas in it may have effects that nobody knows of: a person has to look before anything goes on.
    """


class Superseded(JournalError):
    """Another runner of the same saga has written this number: this one must stop, it works on old state."""

    def __init__(self, saga: str, number: int) -> None:
        self.saga = saga
        self.number = number
        super().__init__(saga, number)

    def __str__(self) -> str:
        return (
            f"record {self.number} of saga {self.saga!r} is written already: another runner drives the saga. "
            "Let that one go on, or read the saga again with recover()"
        )


@runtime_checkable
class Journal(Protocol):
    """An append-only list of records for each saga. Called from any thread."""

    def append(self, saga: str, number: int, record: Record) -> None:
        """Keep a record for good: it is durable when this returns.

        Numbers of a saga count from 1. Raises `Superseded` if the number is in use, `NotJson` for a body
        that JSON cannot hold, `JournalError` if it could not be written; then nothing of it is kept.
        """

    def read(self, saga: str) -> list[Record]:
        """The records of a saga in the order of their numbers; none for a saga that is not known."""

    def open_sagas(self) -> list[str]:
        """The sagas that have a `started` and no `closed`, oldest first."""
