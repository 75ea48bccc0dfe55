"""What a sometimes property is: a state that at least one run of a campaign should have reached."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sagaproof._checks.protocol import Facts
from sagaproof._model.history import History
from sagaproof.errors import UsageError

__all__ = ["Sometimes", "Stage", "always"]

Stage: TypeAlias = tuple[str, Callable[[History], object]]
"""What a run has to show, in words, and whether it did (anything true)."""

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def always(_facts: Facts) -> bool:
    """Any saga can get there."""
    return True


@dataclass(frozen=True, slots=True)
class Sometimes:
    """A state to be reached at least once: `stages` that one run meets, one after the other, up to the last.

    A stage is asked about only in runs that met those before it, so let the first be the cheap one. `slug`
    names it in output and settings. `applies` says whether the saga can get there at all: if not, nobody
    misses it. `faults_needed` is how many faults that takes at least; with fewer nobody misses it either.
    Raises `UsageError` for a slug that could not be written in a list, and without stages.
    """

    slug: str
    stages: tuple[Stage, ...]
    applies: Callable[[Facts], bool] = always
    faults_needed: int = 1

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(self.slug):
            raise UsageError(
                f"a sometimes property is called {self.slug!r}",
                advice="Use small letters, digits and single hyphens, as in 'credit-and-refund'.",
            )
        if not self.stages:
            raise UsageError(
                f"the sometimes property {self.slug} has no stages",
                advice='Give at least one: ("a credit was refused", predicate).',
            )

    @property
    def words(self) -> tuple[str, ...]:
        """The stages in words."""
        return tuple(words for words, _ in self.stages)

    def reached(self, history: History) -> int:
        """How many of the stages a run met, in their order."""
        met = 0
        for _, holds in self.stages:
            if not holds(history):
                break
            met += 1
        return met
