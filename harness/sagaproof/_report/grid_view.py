"""The grid as the page shows it: steps down, in each what was tried of it; faults across, crashes last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from sagaproof._model.faults import FAULTS
from sagaproof._report.grid_cells import Cells, CellView
from sagaproof._report.schema import FindingPart, GridPart, GridRowPart
from sagaproof._tally.grid import GLYPHS, CellState

__all__ = ["GridView", "LegendRow", "RowView", "StepView", "grid_view"]

_CRASH: Final = "crash"


class RowView(NamedTuple):
    """What the step was called for, at which place of the saga, and a cell for each fault."""

    label: str
    place: str
    cells: tuple[CellView, ...]


class StepView(NamedTuple):
    """An operation and its rows."""

    operation: str
    rows: tuple[RowView, ...]


class LegendRow(NamedTuple):
    """How many cells are in a state."""

    glyph: str
    state: str
    cells: int


class GridView(NamedTuple):
    """`faults` in two parts, those that a living saga meets and those that it dies of."""

    faults: tuple[tuple[str, ...], tuple[str, ...]]
    steps: tuple[StepView, ...]
    legend: tuple[LegendRow, ...]


def grid_view(grid: GridPart, findings: Mapping[str, FindingPart], anchor: str) -> GridView:
    """The grid for the page. `findings` are by their anchors; those of cells begin with `anchor`."""
    deadly = [fault for fault in grid.faults if fault in FAULTS and FAULTS[fault].family == _CRASH]
    others = [fault for fault in grid.faults if fault not in deadly]
    order = [grid.faults.index(fault) for fault in (*others, *deadly)]
    made = Cells(grid, findings, anchor)
    steps: dict[str, list[RowView]] = {}
    for number, row in enumerate(grid.rows):
        cells = tuple(made.cell(number, column) for column in order)
        steps.setdefault(row.operation, []).append(RowView(_label(row), _place(row), cells))
    counted = [cell.state for row in grid.rows for cell in row.cells]
    return GridView(
        (tuple(others), tuple(deadly)),
        tuple(StepView(operation, tuple(rows)) for operation, rows in steps.items()),
        tuple(
            LegendRow(GLYPHS[state], state.value, counted.count(state.value))
            for state in CellState
            if state is not CellState.NOT_APPLICABLE and state.value in counted
        ),
    )


def _label(row: GridRowPart) -> str:
    return f"{row.phase} retry" if row.attempt == "retry" else row.phase


def _place(row: GridRowPart) -> str:
    return "" if row.position == "before-pivot" else row.position.replace("-", " ")
