"""Where a fault can be put: points (for replay) and point classes (for coverage)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

__all__ = ["Phase", "Point", "PointClass"]


class Phase(StrEnum):
    """What a call was for: the way there, the way back, a look during the way back, a call for help.

    A write into the saga's own journal is a phase of its own, and so is an event that a system sends.
    """

    FORWARD = "forward"
    UNDO = "undo"
    QUERY = "query"
    ESCALATE = "escalate"
    JOURNAL = "journal"
    EVENT = "event"


class Point(NamedTuple):
    """The `attempt`-th arrival of the `n`-th logical call of an operation; all counts from 1.

    `restart` is 0 before the first restart of the saga.
    """

    operation: str
    n: int
    attempt: int = 1
    restart: int = 0

    def __str__(self) -> str:
        attempt = f":{self.attempt}" if self.attempt > 1 else ""
        restart = f"@{self.restart}" if self.restart else ""
        return f"{self.operation}.{self.n}{attempt}{restart}"


class PointClass(NamedTuple):
    """A point with its counts dropped: the unit of coverage and of telling findings apart."""

    operation: str
    phase: Phase
    attempt: str  # first | retry
    position: str  # before-pivot | pivot | after-pivot

    def __str__(self) -> str:
        return f"{self.operation}/{self.phase}/{self.attempt}/{self.position}"
