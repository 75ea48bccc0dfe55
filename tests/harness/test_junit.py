"""JUnit XML: a case for each check of each scenario, in the form that servers read, whatever texts hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from sagaproof._report.junit import as_junit
from sagaproof._report.schema import CheckPart, GatePart, Report

Make = Callable[..., Any]

# What the schema of Jenkins' JUnit plugin, which GitLab reads as well, has a place for.
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "properties": set[str](),
    "property": {"name", "value"},
    "testcase": {"classname", "name", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"message"},
    "system-out": set[str](),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}


def check(slug: str, state: Any) -> CheckPart:
    return CheckPart(check=slug, state=state, held=0, violated=0, not_reached=0)


def case(report: Report, name: str) -> ET.Element:
    found = ET.fromstring(as_junit(report)).findall(f".//testcase[@name='{name}']")
    assert len(found) == 1
    return found[0]


def outcome(report: Report, name: str) -> list[str]:
    return [child.tag for child in case(report, name)]


def look(element: ET.Element) -> None:
    assert set(element.attrib) <= ATTRIBUTES[element.tag]
    assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
    for child in element:
        look(child)


@pytest.fixture
def full(scenario_of: Make, finding_of: Make) -> Report:
    shop = scenario_of(
        checks=(
            check("terminates", "held"),
            check("rest-is-rest", "violated"),
            check("undone-once", "not reached"),
            check("no-clobber", "not applicable"),
        ),
        findings=(finding_of(), finding_of(plan="a.b.1=422")),
        incomplete=("check undone-once applies and was never reached",),
        seconds=1.5,
    )
    return Report(
        scenarios=(shop, scenario_of("desk", checks=(check("terminates", "held"),))),
        problems=("part x cannot be read",),
        gates=(
            GatePart(gate="fail-under", passed=False, text="too few"),
            GatePart(gate="require", passed=True, text="enough"),
        ),
    )


def test_it_has_only_what_the_schema_has_a_place_for(full: Report) -> None:
    look(ET.fromstring(as_junit(full)))


def test_there_is_a_case_for_each_check_that_applies_and_one_for_the_campaign(full: Report) -> None:
    suites = ET.fromstring(as_junit(full)).findall("testsuite")

    names = {suite.get("name"): [one.get("name") for one in suite.findall("testcase")] for suite in suites}
    assert names == {
        "shop": ["campaign", "terminates", "rest-is-rest", "undone-once"],
        "desk": ["campaign", "terminates"],
        "sagaproof": ["report", "fail-under", "require"],
    }


def test_the_numbers_are_those_of_the_cases(full: Report) -> None:
    root = ET.fromstring(as_junit(full))

    for element in (root, *root):
        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(element.get(attribute, "-1")) == len(element.findall(f".//{tag}"))


def test_a_violated_check_fails_with_its_cards_and_one_that_held_does_not(full: Report) -> None:
    assert outcome(full, "rest-is-rest") == ["failure"]
    failure = case(full, "rest-is-rest")[0]
    assert failure.get("message") == "said it"
    assert "replay  sagaproof replay shop a.b.1=503" in (failure.text or "")
    assert "sagaproof replay shop a.b.1=422" in (failure.text or "")
    assert [outcome(Report(scenarios=full.scenarios[1:]), "terminates")] == [[]]


def test_what_was_never_reached_is_skipped_and_makes_the_campaign_an_error(full: Report) -> None:
    assert outcome(full, "undone-once") == ["skipped"]
    assert outcome(Report(scenarios=full.scenarios[:1]), "campaign") == ["error", "system-out"]


def test_a_gate_that_was_not_passed_fails_and_a_passed_one_does_not(full: Report) -> None:
    assert (outcome(full, "fail-under"), outcome(full, "require")) == (["failure"], [])


@pytest.mark.parametrize(("known", "expected_met"), [("see OPS-7", None), (None, True)])
def test_a_finding_that_is_known_or_expected_fails_nothing(
    scenario_of: Make, finding_of: Make, known: str | None, expected_met: bool | None
) -> None:
    one = scenario_of(
        checks=(check("rest-is-rest", "violated"),),
        findings=(finding_of(known=known),),
        expected_met=expected_met,
    )

    assert outcome(Report(scenarios=(one,)), "rest-is-rest") == ["system-out"]


def test_an_expected_finding_that_is_missing_fails_the_campaign(scenario_of: Make) -> None:
    one = scenario_of(expected_met=False, missing=("rest-is-rest [no fault] completed",))

    assert "failure" in outcome(Report(scenarios=(one,)), "campaign")


@pytest.mark.parametrize("text", ["\x00\x07\x1b[31m", "\ufffe\uffff", "]]><!--&\"'", "a\nb\tc", "\U0001f9ea"])
def test_any_text_makes_xml_that_can_be_read(scenario_of: Make, finding_of: Make, text: str) -> None:
    found = (finding_of(says=text, because=text),)
    one = scenario_of(text, checks=(check("rest-is-rest", "violated"),), findings=found)

    look(ET.fromstring(as_junit(Report(scenarios=(one,)))))


def test_what_xml_has_no_place_for_is_shown_as_its_number(scenario_of: Make) -> None:
    report = Report(scenarios=(scenario_of(notes=("bell \x07, 100 %",)),))

    assert "bell \\u0007, 100 %" in (case(report, "campaign")[0].text or "")


def test_a_report_without_times_has_none(full: Report, scenario_of: Make) -> None:
    assert "time=" in as_junit(full)
    assert "time=" not in as_junit(Report(scenarios=(scenario_of(),)))
