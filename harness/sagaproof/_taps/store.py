"""How what a saga has written into a store of its own can come to harm: functions that its test gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sagaproof._model.operation import STORE_HOOKS

__all__ = ["NO_HOOKS", "Store"]

Hook = Callable[[Any], object]


def _nothing() -> None:
    """Most stores show by themselves what was there before."""


def _itself(error: OSError) -> BaseException:
    return error


@dataclass(frozen=True, slots=True)
class Store:
    """What `world.durable(write, store=...)` has to know of a store to let it fail as stores do.

    `before` is called ahead of a write that will come to harm; what it returns is handed to the others,
    which are called right after the write, or later with no other write in between. `lose` takes the last
    write back, as a disk does that only said it had written. `tear` leaves a part of it. `garble` makes
    something else of it. `outdate` makes it what another version of the code would have written. A kind of
    harm without its function is not tried on the store. `fails` makes the exception that a write raises which
    the store refuses, from an `OSError`; it has to be one that the store itself could raise.
    """

    before: Callable[[], Any] = _nothing
    lose: Hook | None = None
    tear: Hook | None = None
    garble: Hook | None = None
    outdate: Hook | None = None
    fails: Callable[[OSError], BaseException] = _itself

    @property
    def hooks(self) -> tuple[str, ...]:
        """The kinds of harm that it has a function for."""
        return tuple(name for name in STORE_HOOKS if getattr(self, name) is not None)

    def harm(self, hook: str, before: Any) -> None:
        """Let what was written since `before` come to harm."""
        harm: Hook | None = getattr(self, hook)
        assert harm is not None
        harm(before)


NO_HOOKS = Store()
"""A store of which nothing is known: it can refuse a write, and no more."""
