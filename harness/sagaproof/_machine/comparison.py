"""The same planted bugs by other means: what single errors find, and what drawing at random finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from sagaproof._search.planted import Planted

__all__ = ["Comparison", "First", "Row", "Spread"]

First = int | None
"""Which run, from 1, was the first with a finding that was meant; None if none was."""


class Spread(NamedTuple):
    """How many bugs were killed, over the seeds."""

    least: int
    median: float
    most: int


@dataclass(frozen=True, slots=True)
class Row:
    """One planted bug or control; `machine` has for each number of examples the first finding by seed.

    Of a control any finding counts, and is a false alarm.
    """

    planted: Planted
    explored: First
    errors: First
    machine: Mapping[int, tuple[First, ...]]

    @property
    def is_silent(self) -> bool:
        """Whether nothing was found by any means."""
        seen = [
            self.explored,
            self.errors,
            *(first for by_seed in self.machine.values() for first in by_seed),
        ]
        return all(first is None for first in seen)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that was compared. `left_out` are bugs that show in no single run, whatever its faults."""

    rows: Sequence[Row]
    examples: tuple[int, ...]
    seeds: tuple[int, ...]
    left_out: tuple[str, ...] = ()

    @property
    def bugs(self) -> list[Row]:
        """The rows of planted bugs."""
        return [row for row in self.rows if not row.planted.is_control]

    @property
    def controls(self) -> list[Row]:
        """The rows of right sagas."""
        return [row for row in self.rows if row.planted.is_control]

    @property
    def false_alarms(self) -> list[str]:
        """The controls on which anything was found."""
        return [row.planted.id for row in self.controls if not row.is_silent]

    @property
    def explored(self) -> int:
        """How many bugs all plans with up to two faults kill."""
        return killed(row.explored for row in self.bugs)

    @property
    def errors(self) -> int:
        """How many bugs single errors kill."""
        return killed(row.errors for row in self.bugs)

    def by_seed(self, examples: int) -> list[int]:
        """How many bugs so many examples kill, for each seed."""
        return [killed(row.machine[examples][i] for row in self.bugs) for i in range(len(self.seeds))]

    def spread(self, examples: int) -> Spread:
        """The same in short."""
        counts = self.by_seed(examples)
        return Spread(min(counts), median(counts), max(counts))


def killed(firsts: Iterable[First]) -> int:
    """How many of these found something."""
    return sum(first is not None for first in firsts)
