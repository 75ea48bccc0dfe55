"""What docs/growth.md shows of what was measured: its tables, and the plot beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.bench.loglog import Line, chart

__all__ = ["PAGE", "PLOT", "filled", "plot"]

Found = Mapping[str, Sequence[Mapping[str, Any]]]
"""By series, each point: its shape, and what was counted and timed."""

PAGE: Final = Path(__file__).parents[2] / "docs" / "growth.md"
PLOT: Final = PAGE.with_suffix(".svg")

_PART: Final = re.compile(r"(<!-- measured: (?P<name>.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_VARIES: Final = {"steps": "steps", "faults": "faults", "k": "k", "retries": "retries"}
_SIZES: Final = ("steps, k=1", "steps, k=2", "steps, k=3")


def filled(text: str, found: Found) -> str:
    """The text of the page with a table in the place of each series that it names."""
    return _PART.sub(lambda part: f"{part[1]}\n{table(part['name'], found)}\n\n{part[3]}", text)


def table(name: str, found: Found) -> str:
    """The points of one series: what was counted, run and spent."""
    varies = _VARIES[name.partition(",")[0]]
    rows = [_row(varies, point) for point in found[name]]
    head = (varies, "plans reachable", "run", "share", "cost in plain runs", "a plain run", "seconds")
    return "\n".join(_lines((head, ["---:"] * len(head), *rows)))


def _row(varies: str, point: Mapping[str, Any]) -> Sequence[str]:
    reachable, run = sum(point["reachable"]), sum(point["run"])
    return (
        str(point[varies]),
        f"{reachable:,}",
        f"{run:,}",
        f"{run / reachable:.0%}",
        f"{point['plain_runs']:,}",
        f"{point['plain_ms']:.2f} ms",
        f"{point['seconds']:.2f}",
    )


def _lines(rows: Iterable[Sequence[str]]) -> Iterable[str]:
    return ("| " + " | ".join(row) + " |" for row in rows)


def plot(found: Found) -> str:
    """Cost against steps, for one, two and three faults: dots are measured, lines the plans on paper."""
    lines = [
        Line(
            name.rpartition(" ")[2],
            [(point["steps"], point["plain_runs"]) for point in found[name]],
            [(point["steps"], sum(point["reachable"])) for point in found[name]],
        )
        for name in _SIZES
    ]
    return chart(
        lines,
        title="Cost of a campaign, in runs without faults, against the steps of a saga with 4 faults a call",
        across="steps",
        legend="dots: measured cost; lines: plans reachable, which are those of the formula",
    )
