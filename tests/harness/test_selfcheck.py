"""The self-check fails on a survivor, a wrong check, a false alarm and a bug that proves nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.console import Console

from sagaproof import HELD, Facts, History, Scenario, Verdict, World, violated
from sagaproof._doors import cli
from sagaproof._doors.registry import planted
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._report.selfcheck_data import as_data
from sagaproof._report.selfcheck_text import print_selfcheck
from sagaproof._search.ablation import SelfCheck, ablation
from sagaproof._search.planted import Planted
from sagaproof._search.selfcheck import Fate, Trial, tried
from sagaproof._search.subject import Subject
from sagaproof.errors import UsageError


def retries_without_a_key(world: World) -> None:
    for _ in range(2):
        try:
            world.direct.billing.create_customer(name="Kim")
        except TimeoutError:
            continue
        return


def fails(world: World) -> str:
    world.direct.billing.create_customer(name="Kim")
    return "refused"


def sends_a_key(world: World) -> None:
    try:
        world.direct.billing.create_customer(name="Kim", key="kim")
    except OSError:
        world.direct.billing.undo_by_key("create_customer", "kim")
        raise


def plant(body: Any, *expect: str, families: tuple[str, ...] = ("lost answer",)) -> Planted:
    scenario = Scenario("planted", "a story", ("billing",), body=body)
    return Planted("P1", "K01 CLASS", "a story", scenario, expect, 1, families)


def subject_of(one: Planted) -> Subject:
    assert one.scenario is not None
    return subject_of_scenario(one.scenario)


def trial_of(one: Planted) -> Trial:
    return tried(one, subject_of(one))


class OneCustomer:
    """No run makes a second customer."""

    slug = "one-customer"

    def applies(self, _facts: Facts) -> bool:
        return True

    def judge(self, history: History) -> Verdict:
        return violated("there are two customers") if len(history.effects) > 1 else HELD


def test_a_check_that_the_scenario_brings_along_kills_its_bug() -> None:
    scenario = Scenario(
        "planted", "a story", ("billing",), body=retries_without_a_key, checks=[OneCustomer()]
    )
    trial = trial_of(Planted("P1", "K01 CLASS", "a story", scenario, ("one-customer",)))

    assert trial.fate is Fate.KILLED
    assert "one-customer" in trial.fired


def test_a_bug_that_the_meant_check_sees_is_killed_and_its_campaign_ends_there() -> None:
    trial = trial_of(plant(retries_without_a_key, "applied-once"))

    assert trial.fate is Fate.KILLED
    assert str(trial.plan) == "billing.create_customer.1=lost"
    assert trial.k == 1
    assert trial.runs == 2


def test_a_bug_that_only_another_check_sees_is_no_kill() -> None:
    trial = trial_of(plant(retries_without_a_key, "reverse-order"))

    assert trial.fate is Fate.WRONG_CHECK
    assert "applied-once" in trial.fired


def test_a_bug_that_no_fault_shows_has_survived() -> None:
    assert (
        trial_of(plant(retries_without_a_key, "applied-once", families=("rejection",))).fate is Fate.SURVIVED
    )


def test_a_bug_that_fails_without_any_fault_proves_nothing() -> None:
    trial = trial_of(plant(fails, "no-silent-residue"))

    assert trial.fate is Fate.BROKEN
    assert "without any fault" in trial.problem


def test_a_control_is_silent_or_a_false_alarm() -> None:
    right, wrong = plant(sends_a_key, families=("silence",)), plant(retries_without_a_key)

    assert right.is_control
    assert trial_of(right).fate is Fate.SILENT
    assert trial_of(wrong).fate is Fate.FALSE_ALARM


def test_a_family_that_is_taken_away_is_missed_by_the_bugs_that_need_it() -> None:
    trial = trial_of(plant(retries_without_a_key, "applied-once", families=("lost answer", "rejection")))

    (without,) = ablation([trial], subject_of)

    assert (without.family, without.killed, without.missed) == ("lost answer", 0, ("P1",))


def test_a_planted_bug_has_a_scenario_or_a_reason() -> None:
    with pytest.raises(UsageError, match="M99 needs a scenario"):
        Planted("M99", "K99", "a story")


@pytest.fixture
def results() -> dict[Fate, SelfCheck]:
    one = plant(retries_without_a_key, "applied-once")
    return {fate: SelfCheck([Trial(one, fate, {})]) for fate in Fate}


@pytest.mark.parametrize(
    ("fate", "code"),
    [
        (Fate.KILLED, 0),
        (Fate.DEFERRED, 0),
        (Fate.SILENT, 0),
        (Fate.SURVIVED, 1),
        (Fate.WRONG_CHECK, 1),
        (Fate.FALSE_ALARM, 1),
        (Fate.BROKEN, 3),
    ],
)
def test_what_a_bug_came_to_decides_the_exit_code(
    fate: Fate, code: int, results: dict[Fate, SelfCheck]
) -> None:
    assert results[fate].exit_code == code


def test_what_is_not_as_it_should_be_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    trial = trial_of(plant(retries_without_a_key, "reverse-order"))

    print_selfcheck(SelfCheck([trial]), Console(width=100, highlight=False))

    out = capsys.readouterr().out
    assert "NOT AS IT SHOULD BE" in out
    assert "wanted one of reverse-order" in out
    assert "applied-once under 'billing.create_customer.1=lost'" in out
    assert "0 of 1 planted bugs killed, 1 wrong check" in out


def test_the_data_counts_each_fate() -> None:
    killed = trial_of(plant(retries_without_a_key, "applied-once"))
    late = Trial(Planted("M99", "K99", "a story", deferred="no such fault"), Fate.DEFERRED, {})

    data = as_data(SelfCheck([killed, late]))

    assert data["mutants"]["total"] == 2
    assert data["mutants"]["killed"] == 1
    assert data["mutants"]["wrong_check"] == 0
    assert data["mutants"]["deferred"] == [{"id": "M99", "reason": "no such fault"}]
    assert data["false_alarms"] == 0
    (row,) = data["matrix"]
    assert row["fired"] == {"applied-once": "billing.create_customer.1=lost"}
    assert (row["k"], row["runs"]) == (1, 2)


def test_the_command_prints_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selfcheck", "M01", "M44", "--no-ablation", "--json"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert data["mutants"]["killed"] == 2
    assert data["mutants"]["deferred"] == []


def test_an_unknown_name_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selfcheck", "M01x"]) == 3

    assert "Did you mean 'M01'" in capsys.readouterr().err


def test_each_registered_bug_is_named_once() -> None:
    ids = [one.id for one in planted()]

    assert ids == sorted(set(ids))
