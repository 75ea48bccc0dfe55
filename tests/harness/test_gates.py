"""Gates pass and fail where they should; a baseline lets pass what it names, for a while."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sagaproof._report.gates import Gates, judged
from sagaproof._report.known import Known, still_needed, with_known
from sagaproof._report.known_file import read_known, write_known
from sagaproof._report.schema import (
    CheckPart,
    ExclusionPart,
    GridCellPart,
    GridPart,
    GridRowPart,
    Report,
    TallyPart,
)
from sagaproof.errors import UsageError

Make = Callable[..., Any]
TODAY = date(2030, 6, 15)


def cell(state: Any) -> GridCellPart:
    return GridCellPart(
        state=state, glyph="", runs=0, violated=0, reason="because" if state != "held" else ""
    )


def grid(rows: Mapping[str, str]) -> GridPart:
    """A row for each phase, with a cell for an outage and one for a crash: their states."""
    return GridPart(
        faults=("503", "crash-after"),
        rows=tuple(
            GridRowPart(
                operation="a.b",
                phase=phase,
                attempt="first",
                position="before-pivot",
                cells=tuple(map(cell, states.split(","))),
            )
            for phase, states in rows.items()
        ),
    )


@pytest.fixture
def report_of(scenario_of: Make) -> Callable[..., Report]:
    def make(**rows: str) -> Report:
        return Report(scenarios=(scenario_of(grid=grid(rows)),))

    return make


def skipped(n: int) -> TallyPart:
    counts = {"k": 1, "reachable": 9 + n, "run": 9, "pruned": 0, "skipped": n, "audited": 0, "mismatched": 0}
    return TallyPart.model_validate(
        counts | {"bound": "exact", "complete": not n, "attempted": True, "text": ""}
    )


# Cells ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "passed", "figures"),
    [
        ({"forward": "held,violated", "undo": "pruned,inert"}, True, "4 of 4 cells are covered (100.0 %)"),
        ({"forward": "held,held", "undo": "held,skipped"}, True, "3 of 4 cells are covered (75.0 %)"),
        ({"forward": "held,skipped", "undo": "held,skipped"}, False, "2 of 4 cells are covered (50.0 %)"),
        ({"forward": "held,excluded", "undo": "unreachable,not applicable"}, True, "1 of 1 cells"),
        ({"forward": "excluded,unreachable"}, False, "0 of 0 cells are covered (none)"),
    ],
)
def test_the_share_of_covered_cells_is_of_those_that_could_be(
    report_of: Make, rows: dict[str, str], passed: bool, figures: str
) -> None:
    (gate,) = judged(report_of(**rows), Gates(fail_under=75)).gates

    assert (gate.gate, gate.passed) == ("fail-under", passed)
    assert figures in gate.text


def test_a_share_just_below_is_not_rounded_up(scenario_of: Make) -> None:
    rows = tuple(row for _ in range(300) for row in grid({"forward": "held,held"}).rows)
    rows = (*rows, *grid({"forward": "held,skipped"}).rows)
    report = Report(scenarios=(scenario_of(grid=GridPart(faults=("503", "crash-after"), rows=rows)),))

    (gate,) = judged(report, Gates(fail_under=99.9)).gates

    assert not gate.passed
    assert "601 of 602 cells are covered (99.8 %)" in gate.text


def test_the_cells_of_all_scenarios_are_counted_together(scenario_of: Make) -> None:
    scenarios = [
        scenario_of(n, grid=grid({"undo": states}))
        for n, states in (("a", "held,held"), ("b", "held,skipped"))
    ]

    (gate,) = judged(Report(scenarios=tuple(scenarios)), Gates(fail_under=75)).gates

    assert gate.passed
    assert "3 of 4" in gate.text


def test_a_gate_that_fails_names_what_was_skipped(report_of: Make) -> None:
    (gate,) = judged(report_of(undo="held,skipped"), Gates(fail_under=90)).gates

    assert gate.text.endswith("skipped: crash-after at a.b (undo, first) in shop")


@pytest.mark.parametrize(
    ("name", "rows", "passed", "says"),
    [
        ("undo", {"forward": "held,held", "undo": "held,violated"}, True, "2 of 2"),
        ("undo", {"forward": "held,held", "undo": "held,skipped"}, False, "1 of 2"),
        ("undo", {"forward": "held,held"}, False, "no cell of it can be covered."),
        (
            "undo",
            {"undo": "unreachable,excluded"},
            False,
            "no cell of it can be covered (unreachable: because)",
        ),
        ("crash", {"forward": "skipped,held", "undo": "skipped,inert"}, True, "2 of 2"),
        ("outage", {"forward": "skipped,held"}, False, "0 of 1"),
    ],
)
def test_a_phase_or_family_is_covered_if_none_of_its_cells_is_skipped(
    report_of: Make, name: str, rows: dict[str, str], passed: bool, says: str
) -> None:
    (gate,) = judged(report_of(**rows), Gates(require=(name,))).gates

    assert (gate.gate, gate.passed) == ("require", passed)
    assert says in gate.text


def test_a_family_that_is_left_out_everywhere_is_named_with_its_reason(scenario_of: Make) -> None:
    left = (ExclusionPart(operation="*", fault="crash-*", reason="nothing says what a new process does"),)

    (gate,) = judged(Report(scenarios=(scenario_of(excluded=left),)), Gates(require=("crash",))).gates

    assert "left out: nothing says what a new process does" in gate.text


def test_a_family_of_two_words_may_have_a_dash(report_of: Make) -> None:
    (gate,) = judged(report_of(undo="held,held"), Gates(require=("lost-answer",))).gates

    assert gate.text.startswith("require lost-answer: ")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            {"require": ("udno",)},
            "there is no phase or family 'udno' that could be required. Did you mean 'undo'?",
        ),
        ({"require": ("crahs",)}, "Did you mean 'crash'?"),
        ({"fail_under": 950.0}, "fail-under=950 is no share. Give 0 to 100 per cent."),
    ],
)
def test_a_gate_that_makes_no_sense_is_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Gates(**values)
    assert says in str(caught.value)


def test_a_gate_that_was_not_passed_makes_the_report_incomplete(report_of: Make) -> None:
    report = report_of(undo="held,skipped")

    assert judged(report, Gates(fail_under=50)).exit_code == 0
    assert judged(report, Gates(fail_under=95)).exit_code == 2
    assert judged(report, Gates(require=("undo",))).exit_code == 2


# Baseline -------------------------------------------------------------------------------------------------


def known(**more: Any) -> Known:
    usual: dict[str, Any] = {"check": "rest-is-rest", "reason": "see OPS-7", "expires": TODAY}
    return Known(**(usual | more))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"scenario": "shop"},
        {"scenario": "sh*"},
        {"plan": "a.b.1=503"},
        {"where": "a.b/forward/first/before-pivot", "claim": "completed"},
    ],
)
def test_a_finding_of_the_baseline_no_longer_counts(
    scenario_of: Make, finding_of: Make, more: dict[str, Any]
) -> None:
    report = Report(scenarios=(scenario_of(findings=(finding_of(),)),))
    assert report.exit_code == 1

    found = with_known(report, [known(**more)], TODAY)

    assert found.scenarios[0].findings[0].known == "see OPS-7"
    assert (found.exit_code, found.gates) == (0, ())


@pytest.mark.parametrize(
    "more",
    [
        {"check": "no-clobber"},
        {"scenario": "desk"},
        {"plan": "a.b.1=422"},
        {"where": "a.b/undo/first/before-pivot"},
        {"claim": "compensated"},
    ],
)
def test_any_other_finding_counts(scenario_of: Make, finding_of: Make, more: dict[str, Any]) -> None:
    report = Report(scenarios=(scenario_of(findings=(finding_of(),)),))

    assert with_known(report, [known(**more)], TODAY).exit_code == 1


def test_a_new_finding_beside_a_known_one_counts(scenario_of: Make, finding_of: Make) -> None:
    found = (finding_of(), finding_of(plan="a.b.1=422", where=("a.b/undo/first/before-pivot",)))

    report = with_known(Report(scenarios=(scenario_of(findings=found),)), [known(plan="a.b.1=503")], TODAY)

    assert [one.known for one in report.scenarios[0].findings] == ["see OPS-7", None]
    assert report.exit_code == 1


def test_an_entry_that_has_expired_fails_as_long_as_it_is_found(scenario_of: Make, finding_of: Make) -> None:
    report = Report(scenarios=(scenario_of(findings=(finding_of(),)),))

    found = with_known(report, [known(expires=date(2030, 6, 14))], TODAY)

    assert found.exit_code == 1
    (gate,) = found.gates
    assert not gate.passed
    assert "rest-is-rest expired on 2030-06-14 and is still found" in gate.text


def test_an_entry_that_is_no_longer_found_is_told_and_fails_nothing(scenario_of: Make) -> None:
    found = with_known(Report(scenarios=(scenario_of(),)), [known(scenario="shop")], TODAY)

    (gate,) = found.gates
    assert (gate.passed, found.exit_code) == (True, 0)
    assert "rest-is-rest, scenario 'shop' is no longer found. Take the entry out" in gate.text


def test_an_entry_whose_check_is_misspelt_is_told_which_one_was_meant(scenario_of: Make) -> None:
    row = CheckPart(check="rest-is-rest", state="held", held=1, violated=0, not_reached=0)
    report = Report(scenarios=(scenario_of(checks=(row,)),))

    entries = [known(), known(check="rest-is-rset"), known(check="x")]
    right, wrong, other = with_known(report, entries, TODAY).gates

    assert right.text.endswith("is no longer found. Take the entry out")
    assert wrong.text.endswith("There is no such check here. Did you mean 'rest-is-rest'?")
    assert other.text.endswith("is no longer found. Take the entry out")


def test_an_entry_of_what_was_not_run_to_its_end_is_not_told(scenario_of: Make) -> None:
    cut = Report(scenarios=(scenario_of(tally=(skipped(3),)),))

    assert with_known(cut, [known(), known(scenario="desk")], TODAY).gates == ()


def test_what_is_incomplete_stays_so_without_its_known_findings(scenario_of: Make, finding_of: Make) -> None:
    report = Report(scenarios=(scenario_of(findings=(finding_of(),), incomplete=("interrupted",)),))

    assert with_known(report, [known()], TODAY).exit_code == 2


def test_a_known_finding_is_not_held_against_what_is_expected(scenario_of: Make, finding_of: Make) -> None:
    surplus = ("rest-is-rest [a.b/forward/first/before-pivot] completed",)
    one = scenario_of(findings=(finding_of(),), expected_met=False, surplus=surplus)

    found = with_known(Report(scenarios=(one,)), [known()], TODAY).scenarios[0]

    assert (found.expected_met, found.surplus, found.exit_code) == (True, (), 0)


# Its file -------------------------------------------------------------------------------------------------


def test_what_is_written_is_read_back_once_it_has_reasons(
    scenario_of: Make, finding_of: Make, tmp_path: Path
) -> None:
    report = Report(scenarios=(scenario_of('a "b"', findings=(finding_of(),)),))
    file = tmp_path / "known.toml"
    old = known(check="no-clobber", scenario="desk")

    assert write_known(file, report, [old], date(2030, 9, 13)) == 1
    with pytest.raises(UsageError, match=r"there is no reason \(entry 2 in .*Say why it is let pass"):
        read_known(file)
    file.write_text(
        file.read_text(encoding="utf-8").replace('reason = ""', 'reason = "later"'), encoding="utf-8"
    )

    found = read_known(file)
    assert found[0] == old
    assert (found[1].scenario, found[1].reason, found[1].expires) == ('a "b"', "later", date(2030, 9, 13))
    assert with_known(report, found, TODAY).exit_code == 0


def test_a_new_entry_says_above_it_what_was_found_and_with_which_plan(
    scenario_of: Make, finding_of: Make, tmp_path: Path
) -> None:
    finding = finding_of(says="said 'completed',\n but\x00 left it")
    file = tmp_path / "known.toml"

    write_known(file, Report(scenarios=(scenario_of(findings=(finding,)),)), [], date(2030, 9, 13))

    lines = file.read_text(encoding="utf-8").splitlines()
    (comment,) = [line for line in lines[1:] if line.startswith("#")]
    assert comment.startswith(f"# {finding.plan}: said 'completed', but")
    assert lines[lines.index(comment) + 1] == "[[known]]"
    assert len(tomllib.loads(file.read_text(encoding="utf-8"))["known"]) == 1


def test_what_is_written_anew_has_no_entry_that_is_past(scenario_of: Make, finding_of: Make) -> None:
    report = Report(scenarios=(scenario_of(findings=(finding_of(),)),))
    entries = [
        known(),
        known(expires=date(2030, 1, 1)),
        known(check="no-clobber"),
        known(check="no-clobber", scenario="desk"),
    ]

    assert still_needed(entries, report, TODAY) == [entries[0], entries[3]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[known", "cannot be read"),
        ('known = "x"', "known is no list"),
        ("[[knwon]]", "there is no key 'knwon' in a baseline"),
        ("[[known]]\nexpires = 2030-01-01\nreason = 'r'\n", "check"),
        ("[[known]]\ncheck = 'c'\nexpires = 2030-01-01\n", "there is no reason (entry 1 in"),
        ("[[known]]\ncheck = 'c'\nexpires = 2030-01-01\nreason = ' '\n", "there is no reason"),
        ("[[known]]\ncheck = 'c'\nreason = 'r'\n", "there is no day on which it expires (entry 1 in"),
        ("[[known]]\ncheck = 'c'\nreason = 'r'\nexpires = 2030-01-01\nplam = 'x'\n", "Did you mean 'plan'?"),
    ],
)
def test_a_file_that_cannot_be_read_says_what_to_do(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "known.toml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        read_known(file)
    assert says in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no baseline .*known\.toml"):
        read_known(tmp_path / "known.toml")
