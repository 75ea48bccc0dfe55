"""What no virtual time and no seed reaches is noticed where the code of a saga asks for it."""

from __future__ import annotations

import datetime as dt
import logging
import random
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._run.unsteady import Unsteady
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._world.system import System

HERE = Path(__file__).name


def noticed(body: Callable[[], object]) -> list[str]:
    with Unsteady() as unsteady:
        body()
    return unsteady.notes()


class Shifted(dt.datetime):
    """A subclass, as those of libraries for dates are."""


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (lambda: dt.datetime.now(dt.UTC), "datetime.now()"),
        (dt.date.today, "date.today()"),
        (lambda: Shifted.now(dt.UTC), "Shifted.now()"),
        (random.Random, "random.Random()"),
    ],
)
def test_the_clock_of_the_system_and_chance_without_a_seed_are_noticed(
    body: Callable[[], object], says: str
) -> None:
    (note,) = noticed(body)

    assert says in note
    assert f"{HERE}:" in note


@pytest.mark.parametrize(
    "body",
    [
        time.time,
        uuid.uuid4,
        lambda: random.Random(7).random(),
        random.random,
        lambda: dt.datetime.fromtimestamp(time.time(), dt.UTC),
        lambda: logging.getLogger("saga").warning("dated by a library"),
    ],
)
def test_what_the_harness_has_in_hand_is_not(body: Callable[[], object]) -> None:
    assert noticed(body) == []


def test_under_another_profiler_it_keeps_out_of_the_way() -> None:
    def profile(*_: object) -> None:
        """Of somebody else."""

    sys.setprofile(profile)
    try:
        assert noticed(lambda: dt.datetime.now(dt.UTC)) == []
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)


def test_a_campaign_says_it_in_a_note(shop: System) -> None:
    def buys(world: Any) -> None:
        dt.datetime.now(dt.UTC)
        world.direct.shop.buy(item="tea", key="k")

    campaign = explore(Subject("toy", CallableDriver(buys), {"shop": shop}, ()), Settings(faults=0))

    (note,) = campaign.notes
    assert note.startswith("reads the clock of the system, not that of the world: datetime.now() at ")
    assert sys.getprofile() is None
