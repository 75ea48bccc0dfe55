"""Every planted bug is seen by a check that is meant for it, and no right saga by any."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from sagaproof._checks.catalogue import ALL
from sagaproof._doors.cli_output import Output
from sagaproof._doors.cli_selfcheck import checked
from sagaproof._doors.registry import planted
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._model.faults import FAULTS
from sagaproof._search.ablation import SelfCheck
from sagaproof._search.planted import Planted
from sagaproof._search.selfcheck import Fate, tried
from sagaproof_scenarios.planted.listening import PAID
from sagaproof_scenarios.planted.reference import Reference, Step
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER, FULL, INVOICE, MAIL, MAIL_EARLY, saga
from sagaproof_scenarios.planted.undoing import SECOND

BUNDLED: Mapping[str, Planted] = {one.id: one for one in planted()}
BUGS = sorted(name for name, one in BUNDLED.items() if not one.is_control and not one.deferred)
CONTROLS = sorted(name for name, one in BUNDLED.items() if one.is_control)
DEFERRED: set[str] = set()
ERRORS_OF_THE_HARNESS = {"not-deterministic", "not-injected"}
GAPS_IN_COVERAGE = {"undo-never-run"}

# Where a bug is more than its smallest plan: it fails without a fault, or takes two faults.
WITHOUT_A_FAULT = {"A05", "M49", "M65", "M66"}
PAIRS = {"M14", "M25", "M28", "M37", "M44", "M51", "M67", "two-runners"}

STEPS = (
    (CUSTOMER,),
    (BOOKING,),
    (MAIL,),
    (CUSTOMER, INVOICE),
    (CUSTOMER, BOOKING),
    (BOOKING, MAIL),
    (CUSTOMER, BOOKING, MAIL),
    (BOOKING, SECOND, MAIL),
    FULL,
    MAIL_EARLY,
    PAID,
)

MEASURED = Path(__file__).parents[1] / "docs" / "measured.py"


@cache
def whole() -> SelfCheck:
    """All of it, once for the tests of this file."""
    return checked((), Output(as_json=True))


def fate(name: str) -> Fate:
    return next(trial.fate for trial in whole().trials if trial.planted.id == name)


def test_all_classes_are_there_and_what_is_deferred_says_why() -> None:
    ids = {name[:3] for name in BUNDLED if name.startswith("M")}

    assert len(ids) == 40
    assert {name for name, one in BUNDLED.items() if one.deferred} == DEFERRED


def test_expected_checks_exist() -> None:
    known = {check.slug for check in ALL} | ERRORS_OF_THE_HARNESS | GAPS_IN_COVERAGE

    for one in BUNDLED.values():
        assert set(one.expect) <= known, one.id


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_seen_by_a_check_that_is_meant_for_it(name: str) -> None:
    assert fate(name) is Fate.KILLED


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTROLS)
def test_no_check_complains_of_a_right_saga_over_complete_pairs(name: str) -> None:
    assert BUNDLED[name].faults == 2
    assert fate(name) is Fate.SILENT


@pytest.mark.slow
def test_it_takes_as_many_faults_as_the_bug_needs() -> None:
    sizes = {trial.planted.id: trial.k for trial in whole().of(Fate.KILLED)}

    assert {name for name, k in sizes.items() if k == 0} == WITHOUT_A_FAULT
    assert {name for name, k in sizes.items() if k == 2} == PAIRS
    assert set(sizes.values()) == {0, 1, 2}


@pytest.mark.slow
def test_families_of_faults_are_needed() -> None:
    missed = {without.family: set(without.missed) for without in whole().ablation}

    assert not missed["crash"]  # a store that loses its last record takes the process with it
    assert "M44" in missed["event"]
    assert not missed["outage"]
    assert not missed["lost answer"]  # keys, 202 and poor answers leave the same doubt


@pytest.mark.slow
@pytest.mark.parametrize("name", ["M07", "M14", "M37", "M67"])
def test_without_any_death_of_the_process_what_a_new_one_does_wrong_is_missed(name: str) -> None:
    deadly = {fault.family for fault in FAULTS.values() if fault.may_kill}
    harmless = {fault.family for fault in FAULTS.values() if not fault.opt_in} - deadly
    one = BUNDLED[name]
    assert one.scenario is not None

    assert deadly == {"crash", "store"}
    assert tried(one, subject_of_scenario(one.scenario), families=tuple(harmless)).fate is not Fate.KILLED


@pytest.mark.slow
def test_the_page_says_what_it_comes_to() -> None:
    measured = runpy.run_path(str(MEASURED))
    text = measured["PAGE"].read_text(encoding="utf-8")

    assert measured["filled"](text, whole()) == text, f"out of date. Run: {measured['COMMAND']}"


@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: "-".join(step.name for step in steps))
def test_the_right_saga_is_right_with_the_steps_of_each_bug(steps: tuple[Step, ...]) -> None:
    scenario = saga("right", "the right saga", Reference, steps, recovers=True)

    trial = tried(Planted("right", "control", "", scenario, faults=1), subject_of_scenario(scenario))

    assert trial.fate is Fate.SILENT
