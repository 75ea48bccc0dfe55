"""The grid: each step in each phase under each kind of fault, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from sagaproof._model.event import Called, Noted, Sent
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.point import Phase, PointClass
from sagaproof._search.campaign import Campaign
from sagaproof._search.candidates import point_class
from sagaproof._tally.cells import GLYPHS, CellState, GridCell, grid_cell

__all__ = ["GLYPHS", "CellState", "Grid", "GridCell", "GridRow", "grid", "row_order"]


_PHASES: Final = (Phase.FORWARD, Phase.UNDO, Phase.QUERY, Phase.ESCALATE, Phase.JOURNAL, Phase.EVENT)
_POSITIONS: Final = ("before-pivot", "pivot", "after-pivot")


@dataclass(frozen=True, slots=True)
class GridRow:
    """A class of points, with one cell for each kind of fault of the grid.

    `step` is the place of its operation among those of the fault-free run; those that are not in it are last.
    """

    where: PointClass
    step: int
    cells: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows in the order of the fault-free run, then what only faults reach; columns simplest fault first."""

    faults: tuple[str, ...]
    rows: tuple[GridRow, ...]


def grid(campaign: Campaign) -> Grid:
    """The grid of a campaign; empty where its fault-free run never came to its end."""
    if campaign.baseline is None:
        return Grid((), ())
    operations = campaign.baseline.operations
    faults = _columns(campaign)
    made = (
        GridRow(
            where, step, tuple(grid_cell(campaign, operations[where.operation], where, f) for f in faults)
        )
        for where, step in _row_classes(campaign)
    )
    rows = tuple(filter(_can_be_broken, made))
    used = [n for n in range(len(faults)) if any(_is_cell(row.cells[n]) for row in rows)]
    return Grid(
        tuple(faults[n] for n in used),
        tuple(GridRow(row.where, row.step, tuple(row.cells[n] for n in used)) for row in rows),
    )


def _is_cell(cell: GridCell) -> bool:
    return cell.state is not CellState.NOT_APPLICABLE


def _can_be_broken(row: GridRow) -> bool:
    """Writes into a store are no steps of the saga: they have a row only where the process is killed."""
    fits = any(map(_is_cell, row.cells))
    return fits or row.where.phase is not Phase.JOURNAL


def _columns(campaign: Campaign) -> tuple[str, ...]:
    """The kinds of fault that the campaign uses. One that is left out everywhere has no column."""
    used = {fault for _, fault in campaign.cells}
    kinds = {fault.name for fault in campaign.settings.kinds()}
    everywhere = [name for operation, name in campaign.excluded if operation == "*"]
    left_out = {
        kind
        for kind in kinds
        if any(fnmatchcase(kind, name) or FAULTS[kind].family == name for name in everywhere)
    }
    return tuple(name for name in FAULTS if name in used | (kinds - left_out))


def _row_classes(campaign: Campaign) -> list[tuple[PointClass, int]]:
    baseline = campaign.baseline
    assert baseline is not None
    seen = dict.fromkeys(_classes_in(baseline.events, baseline.operations))
    steps = {name: step for step, name in enumerate(dict.fromkeys(where.operation for where in seen))}
    seen |= dict.fromkeys(where for where, _ in campaign.cells)
    reached = {where.operation for where in seen if where.phase is Phase.UNDO}
    undos = campaign.facts.undos if campaign.facts is not None else frozenset()
    seen |= dict.fromkeys(
        PointClass(name, Phase.UNDO, "first", "before-pivot") for name in sorted(undos - reached)
    )
    rows = [(where, steps.get(where.operation, len(steps))) for where in seen]
    return sorted(rows, key=lambda row: row_order(*row))


def row_order(where: PointClass, step: int) -> tuple[int, int, str, str, int]:
    """Orders rows: by phase, then by the steps of the fault-free run."""
    place = _POSITIONS.index(where.position)
    return (_PHASES.index(where.phase), step, where.operation, where.attempt, place)


def _classes_in(events: Iterable[object], operations: Mapping[str, Operation]) -> Iterator[PointClass]:
    pivoted = False
    for event in events:
        if isinstance(event, Called | Noted | Sent):
            operation = operations[event.point.operation]
            yield point_class(event, operation, after_pivot=pivoted)
            pivoted = pivoted or operation.cls is EffectClass.IRREVERSIBLE
