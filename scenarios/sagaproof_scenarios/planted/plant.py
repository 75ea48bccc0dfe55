"""How a faulty variant of the reference saga, or a right one, becomes a planted bug or a control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sagaproof.planted import Planted
from sagaproof_scenarios.planted.reference import Reference, Step
from sagaproof_scenarios.planted.stories import PAIR, saga

__all__ = ["control", "plant"]


def plant(
    name: str,
    bug: str,
    story: str,
    made: type[Reference],
    steps: Sequence[Step] = PAIR,
    *,
    expect: Sequence[str],
    faults: int = 1,
    families: Sequence[str] = (),
    recovers: bool = False,
    **options: Any,
) -> Planted:
    """A bug: `made` is the faulty saga, `expect` are the checks meant for it."""
    scenario = saga(name, story, made, steps, recovers=recovers, **options)
    return Planted(name, bug, story, scenario, tuple(expect), faults, tuple(families))


def control(
    name: str,
    story: str,
    made: type[Reference],
    steps: Sequence[Step] = PAIR,
    *,
    faults: int = 2,
    families: Sequence[str] = (),
    recovers: bool = True,
    **options: Any,
) -> Planted:
    """A right saga: no check may complain of any plan with up to that many faults."""
    scenario = saga(name, story, made, steps, recovers=recovers, **options)
    return Planted(name, "control", story, scenario, faults=faults, families=tuple(families))
