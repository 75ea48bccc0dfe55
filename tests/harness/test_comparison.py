"""The baseline draws and tries what it says, finds what it can, and is silent on right sagas."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sagaproof import Scenario, World
from sagaproof._doors import cli
from sagaproof._doors.cli_comparison import comparison
from sagaproof._doors.cli_output import Output
from sagaproof._doors.registry import planted
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._machine.compare import compared, machine
from sagaproof._machine.comparison import Comparison, Row
from sagaproof._machine.outcomes import FAULTS_MAX, Outcome, Outcomes
from sagaproof._machine.schedule import _one_of, drawn
from sagaproof._machine.single_errors import by_single_errors, is_error
from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import Injection, Plan
from sagaproof._model.point import Point
from sagaproof._model.script import OPAQUE, Script
from sagaproof._report.comparison_data import as_data
from sagaproof._report.comparison_text import print_comparison
from sagaproof._search.ablation import SelfCheck
from sagaproof._search.planted import Planted
from sagaproof._search.selfcheck import Fate, Trial
from sagaproof._search.subject import Subject
from sagaproof.errors import UsageError

FIRST, SECOND, THIRD = (Injection(Point("billing.create_customer", n), "503") for n in (1, 2, 3))


def bundled(name: str) -> tuple[Planted, Subject]:
    (one,) = planted([name])
    assert one.scenario is not None
    return one, subject_of_scenario(one.scenario)


def retries_without_a_key(world: World) -> None:
    for _ in range(2):
        try:
            world.direct.billing.create_customer(name="Kim")
        except TimeoutError:
            continue
        return


def wrong_control() -> tuple[Planted, Subject]:
    scenario = Scenario("wrong", "a story", ("billing",), body=retries_without_a_key)
    return Planted("REF-wrong", "control", "a story", scenario, faults=1), subject_of_scenario(scenario)


# What is drawn ------------------------------------------------------------------------------------------


class Forecast(Outcomes):
    """Three calls, at each of which one fault fits; keeps what it was asked for."""

    def __init__(self) -> None:
        self.scripts = (OPAQUE,)
        self.asked: list[Plan] = []

    def of(self, _script: Script, plan: Plan) -> Outcome:
        self.asked.append(plan)
        last = max(plan, default=None)
        later = [one for one in (FIRST, SECOND, THIRD) if last is None or one > last]
        return Outcome(frozenset(map(str, plan)), [[one] for one in later] if len(plan) < FAULTS_MAX else [])


def throws(text: str) -> Any:
    """A coin that falls as the text says, 1 for heads; it must not be thrown more often."""
    return iter([mark == "1" for mark in text]).__next__


@pytest.mark.parametrize(
    ("coins", "plan"),
    [
        ("000", []),
        ("111 0 0", [FIRST]),
        ("0 111 0", [SECOND]),
        ("110 10 0", []),
        ("0 0 111", [THIRD]),
        ("111 0 111", [FIRST, THIRD]),
        ("111 111", [FIRST, SECOND]),
    ],
)
def test_three_heads_in_a_row_are_a_fault_at_that_call_and_two_faults_are_the_most(
    coins: str, plan: list[Injection]
) -> None:
    outcomes = Forecast()

    drawn(outcomes, throws(coins.replace(" ", "")))

    assert outcomes.asked[-1] == Plan.of(*plan)


def test_each_choice_is_about_as_likely() -> None:
    these = "abcde"
    found = [_one_of(these, iter(coins).__next__) for coins in product((False, True), repeat=5)]

    counts = sorted(found.count(one) for one in these)
    assert counts[0] >= 0.8 * counts[-1]


# What is found ------------------------------------------------------------------------------------------


def test_the_machine_finds_a_bug_that_shows_under_many_plans() -> None:
    found = machine(*bundled("M13"), [100], [0])

    (first,) = found[100]
    assert first is not None
    assert 1 <= first <= 100


def test_the_machine_is_silent_on_a_right_saga() -> None:
    assert machine(*bundled("REF-entries"), [100], [0]) == {100: (None,)}


def test_the_same_seed_draws_the_same_and_another_one_something_else() -> None:
    once = machine(*bundled("M13"), [100], range(4))

    assert machine(*bundled("M13"), [100], range(4)) == once
    assert len(set(once[100])) > 1


def test_a_finding_of_a_check_that_was_not_meant_is_none() -> None:
    one, subject = wrong_control()
    other = Planted("P1", "K01", "a story", one.scenario, expect=("reverse-order",))

    assert machine(other, subject, [50], [0]) == {50: (None,)}
    assert machine(one, subject, [50], [0]) != {50: (None,)}


def test_the_machine_draws_from_the_families_of_the_bug_alone() -> None:
    one, subject = wrong_control()

    assert machine(replace(one, families=("rejection",)), subject, [50], [0]) == {50: (None,)}
    assert machine(replace(one, families=("lost answer",)), subject, [50], [0]) != {50: (None,)}


@pytest.mark.parametrize(
    ("name", "fate"), [("M13", Fate.SURVIVED), ("M61", Fate.KILLED), ("REF-entries", Fate.SILENT)]
)
def test_single_errors_miss_a_lost_answer_and_find_an_error_that_is_mistaken(name: str, fate: Fate) -> None:
    assert by_single_errors(*bundled(name)).fate is fate


def test_single_errors_are_no_lost_answers_no_deaths_and_no_lies() -> None:
    for name in ("503", "422", "429", "refused", "timeout", "outage"):
        assert is_error(FAULTS[name])
    for name in ("lost", "500-applied", "late", "duplicate", "garbage", "soft-error", "crash-before"):
        assert not is_error(FAULTS[name])


# What is told -------------------------------------------------------------------------------------------


def bug(name: str, explored: int | None, errors: int | None, *machine: int | None) -> Row:
    one = Planted(name, "K01 CLASS", "a story", wrong_control()[0].scenario, expect=("applied-once",))
    return Row(one, explored, errors, {100: machine})


@pytest.fixture
def result() -> Comparison:
    rows = [
        bug("M01", 12, 3, 7, 20, None),
        bug("M02", 700, None, None, 40, None),
        Row(wrong_control()[0], None, None, {100: (None, 9, None)}),
    ]
    return Comparison(rows, (100,), (0, 1, 2), ("M65",))


def test_the_counts_are_those_of_bugs_by_seed(result: Comparison) -> None:
    assert (result.explored, result.errors) == (2, 1)
    assert result.by_seed(100) == [1, 2, 0]
    assert result.spread(100) == (0, 1, 2)


def test_what_is_found_on_a_right_saga_is_a_false_alarm(result: Comparison) -> None:
    assert result.false_alarms == ["REF-wrong"]


@pytest.mark.parametrize(("which", "is_silent"), [(wrong_control(), False), (bundled("REF-entries"), True)])
def test_a_control_is_tried_by_each_means(which: tuple[Planted, Subject], is_silent: bool) -> None:
    one, subject = which
    explored = Trial(one, Fate.SILENT, {}, 100)

    row = compared(explored, subject, [30], [0])

    assert row.explored is None
    assert row.is_silent is is_silent
    assert (row.errors is None) is is_silent
    assert (row.machine[30] == (None,)) is is_silent


def test_the_data_has_the_first_run_of_each_means(result: Comparison) -> None:
    data = as_data(result)

    assert data["compared"] == 2
    assert data["not_compared"] == ["M65"]
    assert data["machine"][0]["killed"] == {"min": 0, "median": 1, "max": 2}
    assert data["bugs"][1] == {
        "id": "M02",
        "explored": 700,
        "single_errors": None,
        "machine": {"100": [None, 40, None]},
    }


def test_the_table_fits_a_terminal_of_80_columns(
    result: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [replace(row, machine={**row.machine, 1000: (1000,) * 3}) for row in result.rows]

    print_comparison(Comparison(rows, (100, 1000), (0, 1, 2)), Console(width=80, highlight=False))

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("M02")] == [
        "M02        run 700   -              1 of 3, run 40  3 of 3, run 1000  "
    ]
    assert "REF-wrong" in "\n".join(lines)  # it is silent, or it is told
    assert "0 / 1 / 2 of 2" in "\n".join(lines)


def test_the_command_compares_what_shows_in_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["M61", "M65", "--no-ablation", "--baseline", "--examples", "30", "--seeds", "2"]

    assert cli.main(["selfcheck", *arguments, "--json"]) == 0

    data = json.loads(capsys.readouterr().out)["baseline"]
    assert [row["id"] for row in data["bugs"]] == ["M61"]
    assert data["not_compared"] == ["M65"]
    assert len(data["bugs"][0]["machine"]["30"]) == 2


def test_without_the_option_there_is_no_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selfcheck", "M61", "--no-ablation", "--json"]) == 0

    assert "baseline" not in json.loads(capsys.readouterr().out)


def test_a_false_alarm_of_the_machine_fails_the_self_check(
    monkeypatch: pytest.MonkeyPatch, result: Comparison
) -> None:
    monkeypatch.setattr(cli, "comparison", lambda *_: result)

    assert cli.main(["selfcheck", "M61", "--no-ablation", "--baseline", "--json"]) == 1


def test_what_could_not_be_tried_is_not_compared() -> None:
    one, _ = wrong_control()
    broken = Trial(one, Fate.BROKEN, {}, problem="a check broke")

    result = comparison(SelfCheck([broken]), [10], 1, Output(as_json=True))

    assert (result.rows, result.left_out) == ([], ("REF-wrong",))


@pytest.mark.parametrize("option", ["--examples", "--seeds"])
def test_a_number_that_draws_nothing_is_wrong_use(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selfcheck", "M61", "--no-ablation", "--baseline", option, "0"]) == 3

    assert f"{option} 0 draws nothing" in capsys.readouterr().err


# Hypothesis ---------------------------------------------------------------------------------------------


def test_without_hypothesis_the_advice_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sagaproof._machine.plain", raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)

    with pytest.raises(UsageError, match="pip install hypothesis"):
        machine(*bundled("M61"), [10], [0])


@pytest.mark.slow
def test_hypothesis_is_only_loaded_when_it_is_needed_and_leaves_no_files(tmp_path: Path) -> None:
    code = (
        "import sys; from sagaproof._doors import cli; assert 'hypothesis' not in sys.modules; "
        "cli.main(['selfcheck', 'M61', '--no-ablation', '--baseline', '--examples', '20', '--seeds', '1'])"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)

    assert list(tmp_path.iterdir()) == []
