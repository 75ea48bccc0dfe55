"""The grid: each step in each phase under each kind of fault, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from sagaproof._model.event import Called, Noted, Sent
from sagaproof._model.fault import applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.point import Phase, PointClass
from sagaproof._search.campaign import Campaign, Cell
from sagaproof._search.candidates import point_class

__all__ = ["GLYPHS", "CellState", "Grid", "GridCell", "GridRow", "grid"]


class CellState(StrEnum):
    """What became of a kind of fault at a class of points."""

    HELD = "held"
    VIOLATED = "violated"
    INERT = "inert"
    PRUNED = "pruned"
    EXCLUDED = "excluded"
    SKIPPED = "skipped"
    UNREACHABLE = "unreachable"
    NOT_APPLICABLE = "not applicable"


GLYPHS: Final[Mapping[CellState, str]] = {
    CellState.HELD: "✔",
    CellState.VIOLATED: "✘",
    CellState.INERT: "∅",
    CellState.PRUNED: "≈",
    CellState.EXCLUDED: "–",  # noqa: RUF001  # a dash is what it is to look like
    CellState.SKIPPED: "?",
    CellState.UNREACHABLE: "·",
    CellState.NOT_APPLICABLE: " ",
}
"""One character for each state."""

_PHASES: Final = (Phase.FORWARD, Phase.UNDO, Phase.QUERY, Phase.ESCALATE, Phase.JOURNAL, Phase.EVENT)
_POSITIONS: Final = ("before-pivot", "pivot", "after-pivot")


class GridCell(NamedTuple):
    """A cell: its state, the runs that had it, how many violated a check, and why it was left out."""

    state: CellState
    runs: int = 0
    violated: int = 0
    reason: str = ""

    @property
    def glyph(self) -> str:
        """The state as one character."""
        return GLYPHS[self.state]


@dataclass(frozen=True, slots=True)
class GridRow:
    """A class of points, with one cell for each kind of fault of the grid."""

    where: PointClass
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
    rows = (
        GridRow(where, tuple(_cell(campaign, operations[where.operation], where, name) for name in faults))
        for where in _row_classes(campaign)
    )
    return Grid(faults, tuple(filter(_can_be_broken, rows)))


def _can_be_broken(row: GridRow) -> bool:
    """Writes into a store are no steps of the saga: they have a row only where the process is killed."""
    fits = any(cell.state is not CellState.NOT_APPLICABLE for cell in row.cells)
    return fits or row.where.phase is not Phase.JOURNAL


def _columns(campaign: Campaign) -> tuple[str, ...]:
    used = {fault for _, fault in campaign.cells}
    used |= {fault.removesuffix("/all") for _, fault in campaign.excluded}
    return tuple(name for name in FAULTS if name in used)


def _row_classes(campaign: Campaign) -> list[PointClass]:
    baseline = campaign.baseline
    assert baseline is not None
    seen = dict.fromkeys(_classes_in(baseline.events, baseline.operations))
    steps = list(dict.fromkeys(where.operation for where in seen))
    seen |= dict.fromkeys(where for where, _ in campaign.cells)
    reached = {where.operation for where in seen if where.phase is Phase.UNDO}
    undos = campaign.facts.undos if campaign.facts is not None else frozenset()
    seen |= dict.fromkeys(
        PointClass(name, Phase.UNDO, "first", "before-pivot") for name in sorted(undos - reached)
    )

    def order(where: PointClass) -> tuple[int, int, str, str, int]:
        step = steps.index(where.operation) if where.operation in steps else len(steps)
        place = _POSITIONS.index(where.position)
        return (_PHASES.index(where.phase), step, where.operation, where.attempt, place)

    return sorted(seen, key=order)


def _classes_in(events: Iterable[object], operations: Mapping[str, Operation]) -> Iterator[PointClass]:
    pivoted = False
    for event in events:
        if isinstance(event, Called | Noted | Sent):
            operation = operations[event.point.operation]
            yield point_class(event, operation, after_pivot=pivoted)
            pivoted = pivoted or operation.cls is EffectClass.IRREVERSIBLE


def _cell(campaign: Campaign, operation: Operation, where: PointClass, fault: str) -> GridCell:
    if not applicable(FAULTS[fault], operation, where.phase):
        return GridCell(CellState.NOT_APPLICABLE)
    reasons = (campaign.excluded.get((operation.full, name), "") for name in (fault, f"{fault}/all"))
    reason = next(filter(None, reasons), "")
    cell = campaign.cells.get((where, fault))
    if cell is not None:
        return GridCell(_state(cell), cell.runs, cell.violated, reason)
    if reason:
        return GridCell(CellState.EXCLUDED, reason=reason)
    skipped = any(level.skipped for level in campaign.levels if level.attempted)
    return GridCell(CellState.SKIPPED if skipped else CellState.UNREACHABLE)


def _state(cell: Cell) -> CellState:
    if cell.violated:
        return CellState.VIOLATED
    if cell.inert:
        return CellState.INERT
    return CellState.HELD if cell.runs else CellState.PRUNED
