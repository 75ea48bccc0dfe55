"""The report as one page that stands alone: no network; in light, in dark, on paper, and without script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sagaproof._report.card_view import CardView, anchors, cards, worst
from sagaproof._report.code_view import code_view
from sagaproof._report.console import headline, tally_line
from sagaproof._report.explanation import effect_of
from sagaproof._report.fault_words import meaning_of
from sagaproof._report.grid_view import grid_view
from sagaproof._report.overview import overview, verdict
from sagaproof._report.schema import FindingPart, Report, ScenarioPart
from sagaproof._report.world_view import here, value_text

__all__ = ["as_html"]

_OPEN_MAX = 5


def as_html(report: Report) -> str:
    """The page. Whatever comes from the saga or the world is escaped; no script runs but the page's own."""
    views = [
        _view(number, scenario, findings)
        for number, (scenario, findings) in enumerate(
            zip(report.scenarios, anchors(report.scenarios), strict=True), start=1
        )
    ]
    every: list[CardView] = [card for view in views for card in view["cards"]]
    script = _script()
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            report=report,
            views=views,
            sums=overview(report),
            worst=worst(every),
            filters=_filters(report, every),
            script=Markup(script),  # noqa: S704  # it is ours, and holds nothing of the report
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            open_max=_OPEN_MAX,
        )
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
    found.filters["value"] = value_text
    found.filters["here"] = here
    found.filters["effect"] = effect_of
    found.filters["meaning"] = meaning_of
    found.filters["place"] = _place
    return found


@cache
def _script() -> str:
    """The script of the page, not as a template: its braces are its own."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, "report.js")[0]


def _view(number: int, scenario: ScenarioPart, findings: Mapping[str, FindingPart]) -> dict[str, Any]:
    return {
        "anchor": f"s{number}",
        "part": scenario,
        "verdict": verdict(scenario),
        "headline": headline(scenario),
        "tally_line": tally_line(scenario),
        "code": code_view(scenario.code),
        "cards": cards(scenario, findings),
        "grid": grid_view(scenario.grid, findings, f"s{number}"),
        "tally": [(row, _shares(row.run, row.pruned, row.skipped)) for row in scenario.tally],
    }


def _filters(report: Report, every: list[CardView]) -> list[tuple[str, str, list[str]]]:
    """By what findings can be filtered: what it is called, its key, its values where there are several."""
    found = [
        ("scenario", "scenario", [scenario.name for scenario in report.scenarios if scenario.findings]),
        ("check", "checks", sorted(check for card in every for check in card.checks)),
        ("claim", "claim", sorted(card.lead.claim or "no claim" for card in every)),
        ("faults", "faults", sorted(str(len(card.lead.faults)) for card in every)),
        ("standing", "standing", sorted(card.standing for card in every)),
    ]
    return [(name, key, list(dict.fromkeys(values))) for name, key, values in found if len(set(values)) > 1]


def _shares(*counts: int) -> list[str]:
    """Each count as a percentage of their sum, for the width of a bar."""
    whole = sum(counts) or 1
    return [f"{100 * count / whole:.2f}" for count in counts]


def _place(site: str) -> str:
    """The files of a site without their folders, to be read in a narrow column."""
    return " < ".join(part.rpartition("/")[2] for part in site.split(" < "))
