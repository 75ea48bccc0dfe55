"""What the runtime asks of a journal, and the errors with which one answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from sagaproof.saga.record import Record

__all__ = ["Journal", "JournalError", "Leased", "Parked", "Superseded", "UnreadableJournal", "WrittenOff"]


class JournalError(Exception):
    """The journal did not take a record, or cannot be asked: nothing may be sent on its strength."""


class UnreadableJournal(JournalError):
    """What is stored is no journal, or not a whole one. It is never read as an empty one.

    The sagas in it may have effects that nobody knows of: a person has to look before anything goes on.
    `readable` are the records of one saga that come before what is broken, if it is one that is broken.
    """

    def __init__(self, text: str, readable: Sequence[Record] = ()) -> None:
        self.readable = list(readable)
        super().__init__(text)


class Superseded(JournalError):
    """Another runner has taken the saga up: this one must stop, it works on old state.

    `number` is the record that was not written; None if the runner was stopped before it sent a call.
    """

    def __init__(self, saga: str, number: int | None = None) -> None:
        self.saga = saga
        self.number = number
        super().__init__(saga, number)

    def __str__(self) -> str:
        what = "nothing more of" if self.number is None else f"record {self.number} of"
        return (
            f"{what} saga {self.saga!r} is written or sent here: another runner drives the saga. "
            "Let that one go on, or read the saga again with recover()"
        )


class Leased(JournalError):
    """Another runner holds the saga, is alive as far as can be told, and has `left_s` seconds left."""

    def __init__(self, saga: str, runner: str, left_s: float) -> None:
        self.saga = saga
        self.runner = runner
        self.left_s = left_s
        super().__init__(saga, runner, left_s)

    def __str__(self) -> str:
        return (
            f"the saga {self.saga!r} is held by another runner ({self.runner}), for {self.left_s:.0f} s more "
            "unless it goes on. Leave it to that one, or take it up when it has let go"
        )


class Parked(JournalError):
    """The saga was parked, and is left alone until it is asked for with `retry`."""

    def __init__(self, saga: str, reason: str) -> None:
        self.saga = saga
        self.reason = reason
        super().__init__(saga, reason)

    def __str__(self) -> str:
        return (
            f"the saga {self.saga!r} is parked: {self.reason}. Mend the cause, then call retry({self.saga!r})"
        )


class WrittenOff(Parked):
    """The saga cannot be read, and a person has settled it all the same: nothing more is done about it."""

    def __str__(self) -> str:
        return (
            f"the saga {self.saga!r} cannot be read and was settled by hand: nothing more is done about it "
            f"({self.reason})"
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
        """The sagas of which the last record is not `closed`, oldest first.

        A person may decide about one that was closed: then records follow, and it is open until it is closed
        again.
        """
