"""The summary for a pull request: short, whole, and safe whatever the texts hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sagaproof._report.markdown import BYTES_MAX, as_markdown
from sagaproof._report.schema import (
    CellsPart,
    GatePart,
    Report,
    TallyPart,
)
from sagaproof._report.step_summary import append_summary

TALLY = TallyPart(
    k=1,
    reachable=12,
    bound="exact",
    run=9,
    pruned=2,
    skipped=1,
    audited=0,
    mismatched=0,
    complete=False,
    attempted=True,
    text="",
)


Make = Callable[..., Any]


@pytest.fixture
def scenario(scenario_of: Make) -> Make:
    return partial(scenario_of, tally=(TALLY,), cells=CellsPart(covered=7, coverable=8))


def test_it_says_what_was_covered_of_what(scenario: Make) -> None:
    text = as_markdown(Report(scenarios=(scenario(),)))

    assert "| `shop` | clean | 0 | 7 of 8 | k&lt;=1 not complete: 12 = 9 run + 2 pruned + 1 skipped |" in text


def test_each_finding_has_its_claim_its_because_and_its_replay_line(scenario: Make, finding_of: Make) -> None:
    text = as_markdown(Report(scenarios=(scenario(findings=(finding_of(),)),)))

    assert "**rest-is-rest**  said it" in text
    assert "because of that" in text
    assert "```sh\nsagaproof replay shop a.b.1=503\n```" in text


def test_the_step_in_most_failing_plans_is_to_be_hardened_first(scenario: Make, finding_of: Make) -> None:
    both = ("a.b/forward/first/before-pivot", "c.d/undo/first/before-pivot")
    found = (
        finding_of(),
        finding_of("no-clobber"),
        finding_of(plan="a.b.1=422"),
        finding_of(plan="x", where=both),
    )

    text = as_markdown(Report(scenarios=(scenario(findings=found),)))

    assert "1. `a.b`: in 3 of 3 smallest failing plans\n2. `c.d`: in 1 of 3 smallest failing plans" in text


def test_known_findings_are_counted_and_not_told(scenario: Make, finding_of: Make) -> None:
    found = (finding_of(known="see OPS-7"), finding_of(says="new one", plan="a.b.1=422"))

    text = as_markdown(Report(scenarios=(scenario(findings=found),)))

    assert "| 2 (1 known) |" in text
    assert "1 finding in 9 runs" in text
    assert "new one" in text
    assert "said it" not in text


def test_gates_and_what_is_missing_stand_above_the_findings(scenario: Make, finding_of: Make) -> None:
    gate = GatePart(gate="fail-under", passed=False, text="fail-under: too few")
    one = scenario(findings=(finding_of(),), incomplete=("interrupted",))

    text = as_markdown(Report(scenarios=(one,), gates=(gate,), problems=("torn",)))

    told = [
        text.index(part) for part in ("✘ fail-under: too few", "torn", "incomplete: interrupted", "said it")
    ]
    assert told == sorted(told)


def test_a_long_one_is_cut_between_findings_and_says_how_many_are_left(
    scenario: Make, finding_of: Make
) -> None:
    found = tuple(finding_of(says="ü" * 300, plan=f"a.b.{n}=503") for n in range(1, 400))

    text = as_markdown(Report(scenarios=(scenario(findings=found),)))

    told = text.count("**rest-is-rest**")
    assert len(text.encode()) <= BYTES_MAX
    assert text.endswith(f"... and {399 - told} more runs with findings.\n")
    assert text.count("```") == 2 * told > 50


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>&amp;", "&lt;script\\>&amp;amp;"),
        ("[x](http://e)", "\\[x\\](http://e)"),
        ("a | b", "a \\| b"),
        ("# head", "\\# head"),
        ("`code` *b* _i_", "\\`code\\` \\*b\\* \\_i\\_"),
        ("@everybody", "@<!-- -->everybody"),
        ("two\nlines", "two lines"),
    ],
)
def test_texts_of_the_saga_make_no_markup(scenario: Make, finding_of: Make, text: str, shown: str) -> None:
    assert f"**rest-is-rest**  {shown}\n" in as_markdown(
        Report(scenarios=(scenario(findings=(finding_of(says=text),)),))
    )


def test_code_ends_where_it_should_whatever_is_in_it(scenario: Make, finding_of: Make) -> None:
    text = as_markdown(Report(scenarios=(scenario("a`|b", findings=(finding_of(replay="x ``` y"),)),)))

    assert "| ``a`\\|b`` |" in text
    assert "````sh\nx ``` y\n````" in text


def test_the_summary_of_a_step_is_appended_to(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")

    assert append_summary(file, "## one\n") == ""
    assert append_summary(file, "## two\n") == ""

    assert file.read_text(encoding="utf-8") == "before\n## one\n\n## two\n\n"


def test_a_summary_that_would_be_too_long_is_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_bytes(b"x" * 1024 * 1024)

    assert "no room" in append_summary(file, "## one\n")
    assert file.stat().st_size == 1024 * 1024


def test_a_summary_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    assert "cannot be written" in append_summary(tmp_path / "nowhere" / "summary.md", "## one\n")
