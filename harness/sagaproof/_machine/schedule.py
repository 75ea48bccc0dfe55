"""A schedule of faults that is drawn call by call, as a test does that knows nothing of what will come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final, TypeVar

from sagaproof._machine.outcomes import Outcome, Outcomes
from sagaproof._model.plan import EMPTY, Injection

__all__ = ["Coin", "drawn"]

Coin = Callable[[], bool]
"""A fair coin, thrown."""

One = TypeVar("One")

_HEADS: Final = 3
"""So many heads in a row are a fault: one call in eight."""


def drawn(outcomes: Outcomes, coin: Coin) -> Outcome:
    """The outcome of one run: its script, and at each call whether a fault strikes and which.

    Each choice is made when its call has come, from what fits that call and nothing else. To that end the run
    is made again with the faults drawn so far, which up to the last one of them goes as it went before.
    """
    script = _one_of(outcomes.scripts, coin)
    plan = EMPTY
    while True:
        outcome = outcomes.of(script, plan)
        struck = _struck(outcome, coin)
        if struck is None:
            return outcome
        plan = plan.plus(struck)


def _struck(outcome: Outcome, coin: Coin) -> Injection | None:
    """The next fault; None if none of the calls to come is struck."""
    for fitting in outcome.later:
        if all(coin() for _ in range(_HEADS)):
            return _one_of(fitting, coin)
    return None


def _one_of(these: Sequence[One], coin: Coin) -> One:
    """One of them, each about as likely: two coins more than it takes to number them."""
    if len(these) == 1:
        return these[0]
    throws = len(these).bit_length() + 2
    number = sum(1 << place for place, _ in zip(count(), range(throws)) if coin())
    return these[number % len(these)]
