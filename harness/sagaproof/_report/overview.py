"""What a whole report adds up to: findings, plans and cells over all scenarios, each with its denominator."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from sagaproof._report.harden import Weakness, weaknesses
from sagaproof._report.schema import CellsPart, Report, ScenarioPart
from sagaproof._report.standing import counting

__all__ = ["Overview", "Plans", "overview", "verdict"]


class Plans(NamedTuple):
    """Over all sizes of plan that were attempted: reachable = run + pruned + skipped.

    `least` says that there may be more of them.
    """

    reachable: int
    run: int
    pruned: int
    skipped: int
    faults: int
    least: bool


class Overview(NamedTuple):
    """The sums. `cells` are by state, `covered` of `coverable`; `verdicts` count the scenarios.

    `weak` are the tools by the number of smallest failing plans, of the findings that count if any do.
    """

    findings: int
    counting: int
    runs: int
    plans: Plans
    cells: dict[str, int]
    verdicts: Counter[str]
    weak: tuple[Weakness, ...]


def overview(report: Report) -> Overview:
    """The sums of a report; a figure that was not counted is not in them."""
    scenarios = report.scenarios
    new = {f"{number} {one.name}": counting(one) for number, one in enumerate(scenarios)}
    every = {f"{number} {one.name}": one.findings for number, one in enumerate(scenarios)}
    return Overview(
        findings=sum(len(one.findings) for one in scenarios),
        counting=sum(map(len, new.values())),
        runs=sum(one.runs for one in scenarios),
        plans=_plans(report),
        cells={name: sum(getattr(one.cells, name) for one in scenarios) for name in CellsPart.model_fields},
        verdicts=Counter(verdict(one) for one in scenarios),
        weak=weaknesses(new if any(new.values()) else every),
    )


def verdict(scenario: ScenarioPart) -> str:
    """The word for a scenario as a whole: its status, or how that compares with what is expected of it."""
    if scenario.status == "findings" and scenario.expected_met is None and not counting(scenario):
        return "known findings"
    if scenario.expected_met is None or scenario.status == "error":
        return scenario.status
    if not scenario.expected_met:
        return "not as expected"
    return "incomplete" if scenario.incomplete else "as expected"


def _plans(report: Report) -> Plans:
    rows = [row for one in report.scenarios for row in one.tally if row.attempted]
    return Plans(
        reachable=sum(row.reachable for row in rows),
        run=sum(row.run for row in rows),
        pruned=sum(row.pruned for row in rows),
        skipped=sum(row.skipped for row in rows),
        faults=max((row.k for row in rows), default=0),
        least=any(row.bound == "lower" for row in rows),
    )
