"""How often something is tried, and how long is waited in between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from sagaproof.saga.errors import ToolMistake

__all__ = ["FEWEST_UNDO_ATTEMPTS", "Retry"]

FEWEST_UNDO_ATTEMPTS: Final = 6
"""What an undo gets where nothing else is said: it matters more than the call that it takes back."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Attempts in all, the first included, with waits that grow by `factor` from `wait_s` to `wait_max_s`.

    A service that asks for more time with Retry-After is given it, up to `wait_max_s`; if it asks for more
    than that, no further attempt is made. `jitter_s` is the most that is added to a wait at random, so that
    many sagas do not come back in step. All in seconds.
    """

    attempts: int = 4
    wait_s: float = 0.5
    factor: float = 2.0
    wait_max_s: float = 30.0
    jitter_s: float = 0.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ToolMistake(f"Retry(attempts={self.attempts}): the first attempt counts, so at least 1")
        if self.wait_s < 0 or self.factor < 1 or self.wait_max_s < 0 or self.jitter_s < 0:
            raise ToolMistake(f"{self} has a negative wait or one that shrinks: waits >= 0, factor >= 1")

    def for_undo(self) -> Retry:
        """The policy for the undo of a call that has this one: never fewer attempts."""
        return replace(self, attempts=max(self.attempts, FEWEST_UNDO_ATTEMPTS))
