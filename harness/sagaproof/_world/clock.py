"""Time and ids of a world: injected, so that the same plan gives the same bytes."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

__all__ = ["START", "Clock", "Ids"]

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC).timestamp()
"""The moment at which each run begins, a Monday morning."""


class Clock:
    """Virtual time in seconds; it moves only when somebody moves it.

    `skew` is by how much the wall clock of the saga's own machine is ahead of that of the services.
    """

    __slots__ = ("elapsed", "skew")

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.skew = 0.0

    def now(self) -> float:
        """Seconds since the epoch, as the services have it."""
        return START + self.elapsed

    def wall(self) -> float:
        """Seconds since the epoch, as `time.time` says on the machine of the saga."""
        return START + self.elapsed + self.skew

    def isoformat(self) -> str:
        """The moment as an ISO 8601 text in UTC."""
        return _isoformat(self.elapsed)

    def advance(self, seconds: float) -> None:
        """Move time on; a negative number is an error of the caller."""
        if seconds < 0:
            msg = f"time cannot go back by {seconds} s"
            raise ValueError(msg)
        self.elapsed += seconds


@lru_cache(maxsize=1024)
def _isoformat(elapsed: float) -> str:
    # Kept, for runs go through the same moments again and again.
    return datetime.fromtimestamp(START + elapsed, UTC).isoformat().replace("+00:00", "Z")


class Ids:
    """Counted ids, a sequence for each prefix: `cr_1`, `cr_2`, `inv_1`."""

    __slots__ = ("_counts", "minted")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self.minted: dict[str, str] = {}

    def next(self, prefix: str) -> str:
        """The next id with this prefix; `minted` remembers it with its prefix."""
        count = self._counts.get(prefix, 0) + 1
        self._counts[prefix] = count
        name = f"{prefix}_{count}"
        self.minted[name] = prefix
        return name

    def state(self) -> tuple[tuple[str, int], ...]:
        """How far each sequence has come."""
        return tuple(sorted(self._counts.items()))

    def reset(self) -> None:
        """Start all sequences again."""
        self._counts.clear()
        self.minted.clear()
