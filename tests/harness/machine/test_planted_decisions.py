"""Bugs that only an agent's decisions show are found by a machine, small; the right dispatcher by none."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import pytest
from hypothesis import HealthCheck, Phase, seed, settings

from sagaproof import AgentMachine
from sagaproof._doors.machine_results import RESULTS
from sagaproof._machine.found import Found
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof.planted import Planted
from sagaproof_scenarios.planted.deciding import DECIDING

BUGS = [planted for planted in DECIDING if not planted.is_control]
RIGHT = next(planted for planted in DECIDING if planted.is_control)
SEEDS = range(5)


def played(planted: Planted, *, examples: int, seeded: int) -> Found | None:
    """What a machine over this saga fails with, if any check that is meant for it sees a thing."""
    assert planted.scenario is not None

    class Meant(AgentMachine.of(planted.scenario)):  # type: ignore[misc]  # a class that is made here
        @classmethod
        def _subject(cls) -> tuple[Subject, Settings, WorldHandle]:
            subject, how, world = super()._subject()
            wanted = [c for c in subject.checks if planted.is_control or c.slug in planted.expect]
            return replace(subject, checks=wanted), how, world

    how = settings(
        max_examples=examples,
        stateful_step_count=12,
        derandomize=False,  # the profile for CI would take one seed for all
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )
    seed(seeded)(Meant)
    try:
        Meant.run(how)
    except Found as error:
        return error
    return None


def size() -> tuple[int, int]:
    """Turns and faults of the smallest case of the last machine."""
    (trial,) = RESULTS[-1].session.found.values()
    return len(trial.script.calls), len(trial.plan)


@pytest.mark.parametrize("planted", BUGS, ids=lambda planted: planted.id)
def test_each_is_found_within_a_thousand_examples(planted: Planted) -> None:
    assert played(planted, examples=1000, seeded=1) is not None


def test_the_right_dispatcher_is_not_complained_of() -> None:
    assert played(RIGHT, examples=300, seeded=1) is None
    assert RESULTS[-1].session.tables.effects > 100


@pytest.mark.slow
@pytest.mark.parametrize("planted", BUGS, ids=lambda planted: planted.id)
def test_each_is_found_whatever_the_seed_and_small(planted: Planted) -> None:
    sizes = []
    for seeded in SEEDS:
        # Hypothesis draws from the constants of all modules that happen to be loaded, too, so that the same
        # seed is another one in another session: there is room for that.
        assert played(planted, examples=3000, seeded=seeded) is not None, seeded
        sizes.append(size())
    assert median(turns for turns, _ in sizes) <= 4
    assert median(faults for _, faults in sizes) <= 2
