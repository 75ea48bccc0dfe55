"""Headlines add up, findings are limited but never hidden, and a pipe gets plain text."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from sagaproof._report.build import build
from sagaproof._report.console import as_text, findings_text, headline, print_summary, tally_line
from sagaproof._report.html import as_html
from sagaproof._report.schema import Report, ScenarioPart
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Outcome
from sagaproof._search.settings import Settings


@pytest.fixture
def scenario(report: Report) -> ScenarioPart:
    return report.scenarios[0]


def changed_row(scenario: ScenarioPart, **values: object) -> ScenarioPart:
    tally = list(scenario.tally)
    tally[2] = tally[2].model_copy(update=values)
    return scenario.model_copy(update={"tally": tuple(tally)})


def test_the_headline_counts_findings_runs_and_plans(scenario: ScenarioPart) -> None:
    run, pruned = (sum(getattr(row, name) for row in scenario.tally[:3]) for name in ("run", "pruned"))
    assert headline(scenario) == (
        f"{len(scenario.findings)} findings in {run} runs "
        f"(k<=2 complete: {run + pruned} = {run} run + {pruned} pruned)"
    )


@pytest.mark.parametrize(("count", "words"), [(0, "no finding in"), (1, "1 finding in")])
def test_the_headline_speaks_proper_english(scenario: ScenarioPart, count: int, words: str) -> None:
    assert headline(scenario.model_copy(update={"findings": scenario.findings[:count]})).startswith(words)


@pytest.mark.parametrize(("status", "head"), [("error", "harness error: "), ("incomplete", "incomplete: ")])
def test_the_headline_begins_with_what_spoils_the_result(
    scenario: ScenarioPart, status: str, head: str
) -> None:
    assert headline(scenario.model_copy(update={"status": status})).startswith(head)


def test_a_tally_that_was_cut_off_does_not_say_complete(scenario: ScenarioPart) -> None:
    cut = changed_row(scenario, skipped=7, reachable=1007, run=1000, pruned=0, bound="lower", complete=False)
    assert "k<=2 not complete: >=" in tally_line(cut)
    assert "+ 7 skipped" in tally_line(cut)


def test_an_audit_that_disagrees_is_in_the_line(scenario: ScenarioPart) -> None:
    assert tally_line(changed_row(scenario, audited=9, mismatched=2)).endswith(", audit: 2 of 9 differ")


def test_what_has_no_card_has_a_line(scenario: ScenarioPart) -> None:
    lines = findings_text(scenario, cards=1)
    replays = [line for line in lines if line.startswith("   replay")]
    assert len(replays) == 1
    for finding in scenario.findings:
        assert any(finding.plan in line for line in lines)
    assert not findings_text(scenario.model_copy(update={"findings": ()}))


def test_a_pipe_gets_plain_text(scenario: ScenarioPart) -> None:
    stream = io.StringIO()
    quiet = scenario.model_copy(update={"notes": ()})  # notes are one line each, however long
    print_summary(Report(scenarios=(quiet,)), Console(file=stream, width=80))
    text = stream.getvalue()
    assert "\x1b" not in text
    assert "credit-then-mail" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_no_color_is_honoured(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()
    print_summary(report, Console(file=stream, force_terminal=True))
    assert "\x1b[3" not in stream.getvalue()


def test_what_is_missing_is_named(report: Report) -> None:
    scenario = report.scenarios[0].model_copy(
        update={"incomplete": ("check x was never reached",), "surplus": ("y [z]",), "expected_met": False}
    )
    text = as_text(Report(scenarios=(scenario,), problems=("part 1 is torn",)))
    assert "problem: part 1 is torn" in text
    assert "credit-then-mail: incomplete: check x was never reached" in text
    assert "credit-then-mail: found and not expected: y [z]" in text
    assert "NOT MET" in text


def test_markup_in_names_is_text(report: Report) -> None:
    scenario = report.scenarios[0].model_copy(update={"name": "[bold red]x[/] :boom:"})
    text = as_text(Report(scenarios=(scenario,)))
    assert "[bold red]x[/] :boom: - " in text


def test_the_text_has_no_trailing_blanks(report: Report) -> None:
    lines = as_text(report).split("\n")
    assert lines == [line.rstrip() for line in lines]


def test_what_is_left_out_everywhere_is_told_once_with_its_reason(explored: Callable[..., Campaign]) -> None:
    campaign = explored(settings=Settings(faults=1, families=("outage", "crash")))
    report = build([Outcome(campaign)], stable=True)
    told = [line for line in as_text(report).splitlines() if "crash" in line]
    assert told == [
        " left out everywhere: crash-* (nothing says what a new process does: pass recover=)",
    ]
    assert as_html(report).count("<td>everywhere</td><td>crash-*</td>") == 1
    assert "crash-before" not in report.scenarios[0].grid.faults
