"""Seeded randomness for the runs of a campaign: keys made by `uuid4`, jitter and the like come out the same.

Covered are the module `random` and what draws from `os.urandom`: `uuid.uuid4`, `secrets`, `SystemRandom`. Not
covered: `id()`, the order of sets of strings between processes, generators of other libraries (numpy).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any, Final, Self

__all__ = ["Randomness"]

_SEED: Final = 20260105


class Randomness:
    """Put in place for a campaign; each `begin` starts the same sequence again, `pause` ends it.

    At the end the sequence of the module `random` goes on as if no run had drawn from it.
    """

    def __init__(self) -> None:
        self._urandom: Callable[[int], bytes] = os.urandom
        self._state: Any = None
        self._source: random.Random | None = None
        self._running = False

    def __enter__(self) -> Self:
        self._urandom = os.urandom
        self._state = random.getstate()
        os.urandom = self._bytes
        random._urandom = self._bytes  # type: ignore[attr-defined]  # noqa: SLF001  # what SystemRandom draws from
        return self

    def __exit__(self, *_: object) -> None:
        self.pause()
        os.urandom = self._urandom
        random._urandom = self._urandom  # type: ignore[attr-defined]  # noqa: SLF001  # as above
        random.setstate(self._state)

    def begin(self, *, anew: bool = True) -> None:
        """A run begins; not `anew`: another process goes on in it, and must not draw the same once more."""
        self._running = True
        if anew:
            self._source = None
            random.seed(_SEED)

    def state(self) -> object:
        """How far the sequences have come."""
        return (random.getstate(), None if self._source is None else self._source.getstate())

    def adopt(self, state: Any) -> None:
        """Go on where these sequences have come to."""
        of_module, of_source = state
        random.setstate(of_module)
        self._source = None
        if of_source is not None:
            self._source = random.Random()  # noqa: S311  # the same bytes each time are the point
            self._source.setstate(of_source)

    def pause(self) -> None:
        """The run is over: real randomness again, but for the module `random`."""
        self._running = False

    def _bytes(self, size: int, /) -> bytes:
        if not self._running:
            return self._urandom(size)
        if self._source is None:
            self._source = random.Random(_SEED)  # noqa: S311  # the same bytes each time are the point
        return self._source.randbytes(size)
