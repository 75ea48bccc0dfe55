"""The grid as data, and how many of its cells are in each state."""

from __future__ import annotations

from sagaproof._report.plain import one_line
from sagaproof._report.schema import CellsPart, GridCellPart, GridPart, GridRowPart
from sagaproof._tally.cells import COVERED, CellState, GridCell, count_states
from sagaproof._tally.grid import Grid

__all__ = ["cells_part", "grid_part"]


def grid_part(found: Grid) -> GridPart:
    """A grid as data."""
    return GridPart(
        faults=found.faults,
        rows=tuple(
            GridRowPart(
                operation=row.where.operation,
                phase=row.where.phase.value,
                attempt=row.where.attempt,
                position=row.where.position,
                step=row.step,
                cells=tuple(map(_cell, row.cells)),
            )
            for row in found.rows
        ),
    )


def _cell(cell: GridCell) -> GridCellPart:
    script, plan = (None, None) if cell.example is None else cell.example
    return GridCellPart(
        state=cell.state.value,
        glyph=cell.glyph,
        runs=cell.runs,
        violated=cell.violated,
        reason=one_line(cell.reason),
        inert=cell.inert,
        pruned=cell.pruned,
        plan=None if plan is None else str(plan),
        script=script,
        rule=None if cell.stand_in is None else cell.stand_in.rule,
        representative=None if cell.stand_in is None else str(cell.stand_in.instead),
    )


def cells_part(found: GridPart) -> CellsPart:
    """How many cells of a grid are in each state."""
    counts = count_states(cell.state for row in found.rows for cell in row.cells)
    covered = sum(counts[state] for state in COVERED)
    totals = {"total": counts.total(), "covered": covered, "coverable": covered + counts[CellState.SKIPPED]}
    return CellsPart.model_validate({state.value: count for state, count in counts.items()} | totals)
