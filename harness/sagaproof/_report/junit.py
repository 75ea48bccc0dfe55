"""The report as JUnit XML, for servers that show tests: a suite for each scenario, a case for each check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from sagaproof._report.card import card
from sagaproof._report.console import headline
from sagaproof._report.schema import CheckPart, FindingPart, Report, ScenarioPart
from sagaproof._report.standing import counts, unmet

__all__ = ["as_junit"]

_WIDTH: Final = 100
_CARDS_MAX: Final = 5
# What XML 1.0 has no place for, not even escaped.
_ILLEGAL: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(report: Report) -> str:
    """The report in the form that Jenkins and GitLab read, with nothing in it of our own.

    A check that was violated is a failure, unless each of its findings is expected or known; one that was
    never reached is skipped. What the campaign itself lacks is an error of the case `campaign`. Properties
    hold what was covered.
    """
    root = ET.Element("testsuites", name="sagaproof")
    for scenario in report.scenarios:
        root.append(_suite(scenario))
    if report.problems or report.gates:
        root.append(_of_the_whole(report))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(scenario: ScenarioPart) -> ET.Element:
    suite = ET.Element("testsuite", name=_legal(scenario.name))
    if scenario.seconds is not None:
        suite.set("time", f"{scenario.seconds:.3f}")
    _properties(suite, scenario)
    suite.append(_campaign(scenario))
    for check in scenario.checks:
        if check.state != "not applicable":
            suite.append(_check(check, scenario))
    return _counted(suite)


def _properties(suite: ET.Element, scenario: ScenarioPart) -> None:
    cells = scenario.cells
    texts = {f"plans of {row.k} faults": row.text for row in scenario.tally}
    texts["cells"] = f"{cells.covered} of {cells.coverable} covered"
    found = ET.SubElement(suite, "properties")
    for name, value in texts.items():
        ET.SubElement(found, "property", name=_legal(name), value=_legal(value))


def _campaign(scenario: ScenarioPart) -> ET.Element:
    case = _case(scenario.name, "campaign")
    problems = [f"harness error: {text}" for text in scenario.errors]
    problems += [f"incomplete: {text}" for text in scenario.incomplete]
    _put(case, "error", problems)
    _put(case, "failure", unmet(scenario))
    ET.SubElement(case, "system-out").text = _legal("\n".join((headline(scenario), *scenario.notes)))
    return case


def _check(check: CheckPart, scenario: ScenarioPart) -> ET.Element:
    case = _case(scenario.name, check.check)
    if check.state == "not reached":
        ET.SubElement(case, "skipped", message="never reached: it has proved nothing")
        return case
    found = [finding for finding in scenario.findings if finding.check == check.check]
    failing = [finding for finding in found if counts(finding, scenario)]
    if failing:
        failure = ET.SubElement(case, "failure", type=_legal(check.check), message=_legal(failing[0].says))
        failure.text = _legal("\n".join(_cards(failing)))
    elif found:
        told = (f"as known: {one.says} ({one.known or 'expected'})" for one in found)
        ET.SubElement(case, "system-out").text = _legal("\n".join(told))
    return case


def _cards(findings: Sequence[FindingPart]) -> Iterable[str]:
    for finding in findings[:_CARDS_MAX]:
        yield from ("", *card(finding, width=_WIDTH))
    if len(findings) > _CARDS_MAX:
        yield f"\n and {len(findings) - _CARDS_MAX} more, with the plan that shows each:"
        yield from (f"   {finding.plan or 'no fault'}" for finding in findings[_CARDS_MAX:])


def _of_the_whole(report: Report) -> ET.Element:
    """What is said of no scenario alone: what is missing of the report, and its gates."""
    suite = ET.Element("testsuite", name="sagaproof")
    if report.problems:
        case = _case("sagaproof", "report")
        _put(case, "error", report.problems)
        suite.append(case)
    for gate in report.gates:
        case = _case("sagaproof", gate.gate)
        _put(case, "failure", () if gate.passed else (gate.text,))
        suite.append(case)
    return _counted(suite)


def _case(group: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=_legal(group), name=_legal(name))


def _put(case: ET.Element, kind: str, texts: Sequence[str]) -> None:
    """One element for all the texts, as readers show only the first; none without a text."""
    if texts:
        one = ET.SubElement(case, kind, type=kind, message=_legal(texts[0]))
        one.text = _legal("\n".join(texts))


def _counted(suite: ET.Element) -> ET.Element:
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(kind) is not None for case in cases)))
    return suite


def _legal(text: str) -> str:
    return _ILLEGAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
