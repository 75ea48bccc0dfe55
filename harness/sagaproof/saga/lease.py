"""Leases: who may write into a saga, until when, and how often it was taken up without success."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable
from weakref import WeakValueDictionary

from sagaproof.saga.journal import Journal
from sagaproof.saga.key import key_of
from sagaproof.saga.record import Record

__all__ = ["ATTEMPTS_MAX", "LEASE_S", "Lease", "LeasedJournal", "ParkedSaga", "is_held_here", "new_holder"]

LEASE_S: Final = 600.0
"""How long a runner may stand still before others take its sagas, in seconds; nobody waits for a dead one."""

ATTEMPTS_MAX: Final = 5
"""How often a saga is taken up without success before it is parked."""

_SERIAL: Final = itertools.count(1)
_HELD: Final[WeakValueDictionary[str, Lease]] = WeakValueDictionary()


class Lease:
    """The right to drive one saga. It is let go of when nobody in this process has it any more.

    `epoch` grows with each claim: a write under an older one is refused, so that a runner that slept through
    the end of its lease cannot do harm. `number` is the last record of the saga when it was claimed,
    `attempts` how often it was taken up in a row without success, this time included.
    """

    __slots__ = ("__weakref__", "attempts", "epoch", "holder", "number", "saga", "seconds", "until")

    def __init__(
        self,
        saga: str,
        epoch: int,
        holder: str,
        *,
        until: float,
        seconds: float,
        number: int = 0,
        attempts: int = 0,
    ) -> None:
        self.saga = saga
        self.epoch = epoch
        self.holder = holder
        self.until = until
        self.seconds = seconds
        self.number = number
        self.attempts = attempts
        _HELD[holder] = self

    def is_due(self, now: float) -> bool:
        """Whether it is to be renewed: half of its time is over."""
        return now > self.until - self.seconds / 2

    def abandon(self) -> None:
        """Let go of it, as if the process had ended."""
        _HELD.pop(self.holder, None)

    def __repr__(self) -> str:
        return f"<Lease of {self.saga!r}, epoch {self.epoch}>"


@dataclass(frozen=True, slots=True)
class ParkedSaga:
    """A saga that is left alone until somebody asks for it: why, and whether the desk has been told.

    `key` is the one under which the desk is told.
    """

    saga: str
    reason: str
    attempts: int
    epoch: int
    told: bool = False

    @property
    def key(self) -> str:
        """The same for each time this parking is told of, another one when it is parked again."""
        return key_of(self.saga, f"parked-{self.epoch}")


@runtime_checkable
class LeasedJournal(Journal, Protocol):
    """A journal in which each saga has one runner at a time. Several processes may use it at once."""

    def begin(self, saga: str, record: Record, seconds: float) -> Lease:
        """Keep record 1 of a new saga and claim it, in one transaction; raises as `Journal.append` does."""

    def append(self, saga: str, number: int, record: Record, lease: Lease | None = None) -> None:
        """Keep a record; `Superseded` if the saga was claimed anew since this lease, in one transaction.

        Renews the lease if that is due, and ends it with a `closed`.
        """

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
        """The lease of a saga that nobody holds, or whose holder is dead or has let its time run out.

        `attempt` counts this as one time that it was taken up, `parked` takes one that is parked and counts
        from 1, `own` is a lease that may be replaced, `settled` does `settle` in the same transaction. Raises
        `Leased` or `Parked`.
        """

    def confirm(self, lease: Lease) -> None:
        """Renew the lease if that is due; `Superseded` if it has run out and somebody else has taken it."""

    def settle(self, leases: Iterable[Lease]) -> None:
        """Count anew for these sagas: they were taken up with success."""

    def release(self, lease: Lease) -> None:
        """Give a lease back; nothing if it was taken by somebody else."""

    def park(self, lease: Lease, reason: str) -> ParkedSaga:
        """Have the saga left alone; the lease ends."""

    def parked(self) -> list[ParkedSaga]:
        """The sagas that are parked, by name."""

    def told(self, parked: ParkedSaga) -> None:
        """Remember that the desk was told of it."""


def new_holder(process: str) -> str:
    """The name of one lease that this process is about to hold."""
    return f"{process}#{next(_SERIAL)}"


def is_held_here(holder: str) -> bool:
    """Whether somebody in this process still has that lease."""
    return holder in _HELD
