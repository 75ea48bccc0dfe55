"""The report as one page that stands alone: no network, no script, readable in light and dark."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import JsonValue

from sagaproof._report.console import headline, tally_line
from sagaproof._report.explanation import effect_of
from sagaproof._report.group import grouped
from sagaproof._report.schema import Report, ScenarioPart, Step
from sagaproof._tally.grid import GLYPHS, CellState

__all__ = ["as_html"]

_OPEN_MAX = 5


def as_html(report: Report) -> str:
    """The page. Whatever comes from the saga or the world is escaped."""
    page = _environment().get_template("report.html.jinja")
    return page.render(
        report=report,
        views=[_view(number, scenario) for number, scenario in enumerate(report.scenarios, start=1)],
        statuses=Counter(_verdict(scenario) for scenario in report.scenarios),
        findings=sum(len(scenario.findings) for scenario in report.scenarios),
        runs=sum(scenario.runs for scenario in report.scenarios),
        open_max=_OPEN_MAX,
    )


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("sagaproof._report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["value"] = _value
    found.filters["effect"] = effect_of
    found.tests["unknown_to_client"] = _is_unknown_to_client
    return found


def _view(number: int, scenario: ScenarioPart) -> dict[str, Any]:
    states = {CellState(cell.state) for row in scenario.grid.rows for cell in row.cells}
    return {
        "anchor": f"s{number}",
        "part": scenario,
        "verdict": _verdict(scenario),
        "headline": headline(scenario),
        "tally_line": tally_line(scenario),
        "groups": grouped(scenario.findings),
        "legend": [
            (GLYPHS[s], s.value) for s in CellState if s in states and s is not CellState.NOT_APPLICABLE
        ],
        "tally": [(row, _shares(row.run, row.pruned, row.skipped)) for row in scenario.tally],
    }


def _verdict(scenario: ScenarioPart) -> str:
    """The word for a scenario as a whole: its status, or how that compares with what is expected of it."""
    if scenario.expected_met is None or scenario.status == "error":
        return scenario.status
    if not scenario.expected_met:
        return "not as expected"
    return "incomplete" if scenario.incomplete else "as expected"


def _shares(*counts: int) -> list[str]:
    """Each count as a percentage of their sum, for the width of a bar."""
    whole = sum(counts) or 1
    return [f"{100 * count / whole:.2f}" for count in counts]


def _value(value: JsonValue) -> str:
    """A cell of the world: nothing as an empty set, a row as its fields, one a line."""
    if value is None:
        return "∅"
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_compact(inner)}" for name, inner in value.items() if inner is not None)
    return _compact(value)


def _compact(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_unknown_to_client(step: Step) -> bool:
    """Whether an effect is there that the client was never told of."""
    return step.kind == "call" and step.applied > 0 and not step.ok
