"""The baseline: findings that are known and let pass for a while, each with a reason and a last day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from sagaproof._report.schema import FindingPart, GatePart, Report, ScenarioPart
from sagaproof._report.standing import counting, key_of

__all__ = ["Known", "still_needed", "with_known"]


class Known(NamedTuple):
    """An entry of a baseline: what is not given there fits every finding.

    `scenario` is a name or a pattern of names, `where` the classes of points as in `FindingPart`, joined by
    " + ", `expires` the last day on which it holds.
    """

    check: str
    reason: str
    expires: date
    scenario: str | None = None
    plan: str | None = None
    where: str | None = None
    claim: str | None = None

    def is_of(self, name: str) -> bool:
        """Whether it is about the scenario of that name. Names of tests may look like patterns."""
        return self.scenario is None or self.scenario == name or fnmatchcase(name, self.scenario)

    def fits(self, finding: FindingPart, name: str) -> bool:
        """Whether it is this finding of the scenario `name`."""
        asked = (
            (self.check, finding.check),
            (self.plan, finding.plan),
            (self.where, " + ".join(finding.where)),
            (self.claim, finding.claim or ""),
        )
        return self.is_of(name) and all(want is None or want == found for want, found in asked)

    def __str__(self) -> str:
        named = (f"{key} {value!r}" for key, value in self._asdict().items() if value and key in _NAMING)
        return ", ".join((self.check, *named))


_NAMING = ("scenario", "plan", "where", "claim")


def with_known(report: Report, baseline: Iterable[Known], today: date) -> Report:
    """The report with the findings of the baseline marked as known: they no longer count.

    An entry counts up to its last day. One that has expired and still fits a finding fails the gate
    `baseline`; one that fits none, although what it speaks of was run to its end, is told.
    """
    known = list(baseline)
    scenarios = tuple(_marked(scenario, known, today) for scenario in report.scenarios)
    gates = (*report.gates, *_told(known, report.scenarios, today))
    return report.model_copy(update={"scenarios": scenarios, "gates": gates})


def still_needed(baseline: Iterable[Known], report: Report, today: date) -> list[Known]:
    """The entries without those that have expired or fit nothing, although what they speak of was run."""
    return [one for one in baseline if not _is_past(one, report.scenarios, today)]


def _is_past(known: Known, scenarios: tuple[ScenarioPart, ...], today: date) -> bool:
    about = [scenario for scenario in scenarios if known.is_of(scenario.name)]
    if any(known.fits(finding, part.name) for part in about for finding in part.findings):
        return known.expires < today
    return bool(about) and all(map(_is_whole, about))


def _marked(scenario: ScenarioPart, known: list[Known], today: date) -> ScenarioPart:
    valid = [one for one in known if one.expires >= today]
    findings = tuple(_with_reason(finding, scenario.name, valid) for finding in scenario.findings)
    let_pass = {key_of(finding) for finding in findings if finding.known is not None}
    if not let_pass:
        return scenario
    values: dict[str, Any] = {"findings": findings}
    values["surplus"] = tuple(text for text in scenario.surplus if text not in let_pass)
    if scenario.expected_met is not None:
        values["expected_met"] = not values["surplus"] and not scenario.missing
    marked = scenario.model_copy(update=values)
    return marked.model_copy(update={"exit_code": _exit_code(marked)})


def _with_reason(finding: FindingPart, name: str, known: list[Known]) -> FindingPart:
    entry = next((one for one in known if one.fits(finding, name)), None)
    return finding if entry is None else finding.model_copy(update={"known": entry.reason})


def _exit_code(scenario: ScenarioPart) -> int:
    if scenario.errors or scenario.status == "error":
        return 3
    if counting(scenario) or scenario.missing:
        return 1
    return 2 if scenario.incomplete else 0


def _told(known: list[Known], scenarios: tuple[ScenarioPart, ...], today: date) -> Iterator[GatePart]:
    for one in known:
        about = [scenario for scenario in scenarios if one.is_of(scenario.name)]
        found = any(one.fits(finding, part.name) for part in about for finding in part.findings)
        if found and one.expires < today:
            text = f"baseline: {one} expired on {one.expires} and is still found. Mend it, or look at it anew"
            yield GatePart(gate="baseline", passed=False, text=text)
        if not found and about and all(map(_is_whole, about)):
            text = f"baseline: {one} is no longer found. {_what_to_do(one, about)}"
            yield GatePart(gate="baseline", passed=True, text=text)


def _what_to_do(known: Known, about: list[ScenarioPart]) -> str:
    """What becomes of an entry that fits nothing: its check may just be misspelt."""
    checks = {row.check for scenario in about for row in scenario.checks}
    if checks and known.check not in checks and (near := get_close_matches(known.check, checks, n=1)):
        return f"There is no such check here. Did you mean {near[0]!r}?"
    return "Take the entry out"


def _is_whole(scenario: ScenarioPart) -> bool:
    """Whether what a scenario does not show is not there."""
    cut = scenario.replayed is not None or scenario.shard is not None
    return not cut and not scenario.errors and not any(row.skipped for row in scenario.tally if row.attempted)
