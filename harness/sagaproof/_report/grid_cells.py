"""The cells of the grid as the page shows them: what was counted of each, and where it leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sagaproof._report.schema import FindingPart, GridCellPart, GridPart

__all__ = ["CellView", "Cells"]


class CellView(NamedTuple):
    """A cell: its state, what was counted of it, and where it leads to.

    `findings` are the anchors of those whose smallest plan has this fault here, `instead` is that of the
    cell whose plan was run in its stead. `anchor` is empty if nothing leads here.
    """

    state: str
    glyph: str
    title: str
    findings: tuple[str, ...] = ()
    instead: str = ""
    anchor: str = ""


class Cells:
    """The cells of one grid. `findings` are by their anchors; those of cells begin with `anchor`."""

    def __init__(self, grid: GridPart, findings: Mapping[str, FindingPart], anchor: str) -> None:
        self._grid = grid
        self._anchor = anchor
        self._findings = _by_cell(findings)
        places: dict[tuple[str | None, str], str] = {}
        for number, row in enumerate(grid.rows):
            for column, cell in enumerate(row.cells):
                if cell.plan is not None and cell.representative is None:
                    places.setdefault((cell.script, cell.plan), f"{anchor}c{number}-{column}")
        wanted = {(cell.script, cell.representative or "") for row in grid.rows for cell in row.cells}
        self._places = {plan: place for plan, place in places.items() if plan in wanted}
        self._targets = frozenset(self._places.values())

    def cell(self, number: int, column: int) -> CellView:
        """The cell in that row and that column of the grid."""
        row = self._grid.rows[number]
        cell = row.cells[column]
        here = f"{self._anchor}c{number}-{column}"
        where = f"{row.operation}/{row.phase}/{row.attempt}/{row.position}"
        return CellView(
            state=cell.state,
            glyph=cell.glyph,
            title=_title(cell),
            findings=tuple(self._findings.get((where, self._grid.faults[column]), ())),
            instead=self._places.get((cell.script, cell.representative or ""), ""),
            anchor=here if here in self._targets else "",
        )


def _by_cell(findings: Mapping[str, FindingPart]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for anchor, finding in findings.items():
        for cell in _cells_of(finding):
            found.setdefault(cell, []).append(anchor)
    return found


def _cells_of(finding: FindingPart) -> Iterable[tuple[str, str]]:
    """The cells, by class of point and fault, that the smallest plan of a finding is in."""
    for where in finding.where:
        operation = where.partition("/")[0]
        for fault in finding.faults:
            if fault.point.rpartition(".")[0] == operation:
                yield where, fault.fault


def _title(cell: GridCellPart) -> str:
    """What was counted of a cell, in a sentence and, if there is one, a plan to see it with."""
    if cell.state == "not applicable":
        return ""
    plan = "" if cell.plan is None else f"\nfor example {cell.plan or 'no fault'}"
    script = "" if cell.script in (None, "opaque") or not plan else f" ({cell.script})"
    return f"{cell.state}: {_counted(cell)}{plan}{script}"


def _counted(cell: GridCellPart) -> str:
    runs = "1 run" if cell.runs == 1 else f"{cell.runs} runs"
    if cell.state == "held":
        return f"{runs} had it here, and no check was violated"
    if cell.state == "violated":
        return f"{cell.violated} of {runs} that had it here violate a check"
    if cell.state == "inert":
        return f"{cell.inert} of {runs} that had it here went as they go without it"
    if cell.state == "pruned":
        plans = "1 plan" if cell.pruned == 1 else f"{cell.pruned} plans"
        instead = f"; instead of them was run {cell.representative}" if cell.representative else ""
        return f"{plans} left out{f' by {cell.rule}' if cell.rule else ''}{instead}"
    return cell.reason or "no run had it here"
