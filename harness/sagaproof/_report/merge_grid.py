"""Grids of several reports as one: each cell is what all of them together say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sagaproof._model.faults import FAULTS
from sagaproof._model.point import Phase, PointClass
from sagaproof._report.plan_order import smallest
from sagaproof._report.schema import GridCellPart, GridPart, GridRowPart
from sagaproof._tally.cells import COVERED, GLYPHS, NOT_HERE, CellState, state_of
from sagaproof._tally.grid import row_order

__all__ = ["RowKey", "added_cells", "merged_grid", "row_key", "settled", "worst_cell"]

RowKey = tuple[str, str, str, str]
OneOf = Callable[[Sequence[GridCellPart]], GridCellPart]

_BLANK: Final = GridCellPart(
    state="not applicable", glyph=GLYPHS[CellState.NOT_APPLICABLE], runs=0, violated=0, reason=""
)
_RANKS: Final = ("violated", "inert", "held", "pruned", "skipped", "excluded", "unreachable")


def row_key(row: GridRowPart) -> RowKey:
    """What tells rows apart."""
    return (row.operation, row.phase, row.attempt, row.position)


def merged_grid(grids: Sequence[GridPart], one_of: OneOf) -> GridPart:
    """The rows and columns of all grids; `one_of` makes one cell of those that are in the same place."""
    order = {name: place for place, name in enumerate(FAULTS)}
    names = {name for grid in grids for name in grid.faults}
    faults = tuple(sorted(names, key=lambda name: (order.get(name, len(order)), name)))
    places: dict[RowKey, list[tuple[GridRowPart, dict[str, GridCellPart]]]] = {}
    for grid in grids:
        for row in grid.rows:
            cells = dict(zip(grid.faults, row.cells, strict=True))
            places.setdefault(row_key(row), []).append((row, cells))
    rows = [
        found[0][0].model_copy(
            update={
                "cells": tuple(one_of([cells.get(fault, _BLANK) for _, cells in found]) for fault in faults)
            }
        )
        for found in places.values()
    ]
    return GridPart(faults=faults, rows=tuple(sorted(_without_placeholders(rows), key=_order)))


def _order(row: GridRowPart) -> tuple[int, int, str, str, int]:
    return row_order(PointClass(row.operation, Phase(row.phase), row.attempt, row.position), row.step)


def _without_placeholders(rows: Sequence[GridRowPart]) -> list[GridRowPart]:
    """Without the rows that stand for an undo which was never met, where another report has met it."""
    met = {row.operation for row in rows if row.phase == Phase.UNDO and _is_counted(row)}
    return [
        row
        for row in rows
        if row.phase != Phase.UNDO
        or row.operation not in met
        or _is_counted(row)
        or (row.attempt, row.position) != ("first", "before-pivot")
    ]


def _is_counted(row: GridRowPart) -> bool:
    return any(cell.state in COVERED for cell in row.cells)


def added_cells(cells: Sequence[GridCellPart]) -> GridCellPart:
    """The cell of shards: their counts add up."""
    fits = [cell for cell in cells if cell.state != "not applicable"]
    counted = [cell for cell in fits if cell.runs or cell.pruned]
    if not counted:
        return worst_cell(cells)
    runs, violated, inert, pruned = (
        sum(getattr(cell, name) for cell in counted) for name in ("runs", "violated", "inert", "pruned")
    )
    state = state_of(runs=runs, violated=violated, inert=inert)
    shows = [cell for cell in counted if _shows(cell, state)]
    example = smallest((cell.plan, cell) for cell in shows) or counted[0]
    reason = next((cell.reason for cell in counted if cell.reason), "")
    return example.model_copy(
        update={
            "state": state.value,
            "glyph": GLYPHS[state],
            "runs": runs,
            "violated": violated,
            "inert": inert,
            "pruned": pruned,
            "reason": reason,
        }
    )


def _shows(cell: GridCellPart, state: CellState) -> bool:
    """Whether the plan of a shard's cell may stand for that state of the whole."""
    if state is CellState.VIOLATED:
        return cell.violated > 0
    return cell.runs > 0 or state is CellState.PRUNED


def worst_cell(cells: Sequence[GridCellPart]) -> GridCellPart:
    """The cell of reports that tell of the same plans: the worst, and of those the one with most runs."""
    return min(cells, key=_rank)


def _rank(cell: GridCellPart) -> tuple[int, int, bool]:
    """What came of it, before why nothing did; a reason that is known, before that nobody came near."""
    known = cell.state in _RANKS and not cell.reason.startswith(NOT_HERE)
    place = _RANKS.index(cell.state) if known else len(_RANKS) + (cell.state == "not applicable")
    return (place, -cell.runs, "no run with" in cell.reason)


def settled(cell: GridCellPart) -> GridCellPart:
    """The cell once the reports of all shards are there: what none of them has a plan of is unreachable."""
    if not cell.reason.startswith(NOT_HERE):
        return cell
    reason = cell.reason.removeprefix(NOT_HERE)
    state = CellState.UNREACHABLE
    return cell.model_copy(update={"state": state.value, "glyph": GLYPHS[state], "reason": reason})
