"""The plain machine: a test by Hypothesis that draws faults at random, without any exploration.

It imports Hypothesis, which sagaproof itself does not need.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

from sagaproof._machine.outcomes import Outcome, Outcomes
from sagaproof._machine.schedule import drawn

__all__ = ["first_finding"]

_COIN: Final = st.booleans()


class _Found(Exception):
    """Ends a test with the finding that was looked for."""


def first_finding(
    outcomes: Outcomes, is_meant: Callable[[Outcome], bool], *, examples: int, seeded: int
) -> int | None:
    """Which example, from 1, was the first that is meant; None if none of so many was.

    The same seed draws the same with the same version of Hypothesis: the schedule is made of coins, because
    among numbers Hypothesis mixes constants of whatever modules are loaded.
    """
    tried = 0
    found: int | None = None

    @seed(seeded)
    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(st.data())
    def test(data: Any) -> None:
        nonlocal tried, found
        outcome = drawn(outcomes, lambda: data.draw(_COIN))
        tried += 1  # not before: an example that Hypothesis gives up halfway is none
        if is_meant(outcome):
            found = found or tried
            raise _Found

    with suppress(_Found):
        test()
    return found
