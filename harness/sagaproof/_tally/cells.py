"""A cell of the grid: one kind of fault at one class of points, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from sagaproof._checks.protocol import RunName
from sagaproof._model.fault import applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import Operation
from sagaproof._model.point import PointClass
from sagaproof._search.campaign import Campaign, Cell, StandIn

__all__ = ["COVERED", "GLYPHS", "NOT_HERE", "CellState", "GridCell", "count_states", "grid_cell", "state_of"]


class CellState(StrEnum):
    """What became of a kind of fault at a class of points; the last is no cell, but room between."""

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

COVERED: Final = frozenset({CellState.HELD, CellState.VIOLATED, CellState.INERT, CellState.PRUNED})
"""The states of cells of which a run, or one that stands for it, has shown what comes of them."""


NOT_HERE: Final = "not in this shard: "
"""How the reason of a cell begins of which a shard has no plan; if no other has one, the rest is why."""


class GridCell(NamedTuple):
    """A cell: its state, what was counted of it, and why nothing was where nothing was.

    `example` is the smallest plan that shows the state, `stand_in` what was run instead of a pruned one.
    """

    state: CellState
    runs: int = 0
    violated: int = 0
    reason: str = ""
    inert: int = 0
    pruned: int = 0
    example: RunName | None = None
    stand_in: StandIn | None = None

    @property
    def glyph(self) -> str:
        """The state as one character."""
        return GLYPHS[self.state]


def grid_cell(campaign: Campaign, operation: Operation, where: PointClass, fault: str) -> GridCell:
    """The cell of that fault at that class of points, as far as this campaign came."""
    if not applicable(FAULTS[fault], operation, where.phase):
        return GridCell(CellState.NOT_APPLICABLE)
    reasons = (campaign.excluded.get((operation.full, name), "") for name in (fault, f"{fault}/all"))
    reason = next(filter(None, reasons), "")
    cell = campaign.cells.get((where, fault))
    if cell is not None:
        return _counted(cell, reason)
    if reason:
        return GridCell(CellState.EXCLUDED, reason=reason)
    unfinished = _why_unfinished(campaign)
    if unfinished:
        return GridCell(CellState.SKIPPED, reason=unfinished)
    why = _why_unreachable(campaign, where, fault)
    if campaign.settings.shard is not None:
        return GridCell(CellState.SKIPPED, reason=f"{NOT_HERE}{why}")
    return GridCell(CellState.UNREACHABLE, reason=why)


def state_of(*, runs: int, violated: int, inert: int) -> CellState:
    """The state of a cell that was counted: the worst of its runs; without a run, plans of it were pruned."""
    if violated:
        return CellState.VIOLATED
    if inert:
        return CellState.INERT
    return CellState.HELD if runs else CellState.PRUNED


def count_states(states: Iterable[str]) -> Counter[CellState]:
    """How many cells are in each state; what is not applicable is none."""
    found = Counter(map(CellState, states))
    del found[CellState.NOT_APPLICABLE]
    return found


def _counted(cell: Cell, reason: str) -> GridCell:
    state = state_of(runs=cell.runs, violated=cell.violated, inert=cell.inert)
    pruned = cell.stand_in if state is CellState.PRUNED else None
    example = cell.broke if state is CellState.VIOLATED else cell.ran
    if pruned is not None:
        example = (pruned.script, pruned.plan)
    return GridCell(state, cell.runs, cell.violated, reason, cell.inert, cell.pruned, example, pruned)


def _why_unfinished(campaign: Campaign) -> str:
    """Why a plan of a cell may have been left for want of time or interest; empty if none was."""
    if campaign.replayed is not None:
        return "one plan was replayed, and no other run"
    if not campaign.settings.faults:
        return "no fault was to be put (faults=0)"
    if any(level.skipped for level in campaign.levels if level.attempted):
        return "the budget was used up before a plan of it was run"
    ended = any(level.attempted and level.bound == "lower" for level in campaign.levels)
    return "the campaign ended before a plan of it was run" if ended or campaign.errors else ""


def _why_unreachable(campaign: Campaign, where: PointClass, fault: str) -> str:
    """Why no run could have put the fault there, given that nothing was skipped."""
    if all(at != where for at, _ in campaign.cells):
        most = campaign.settings.faults
        before = "without a fault" if most == 1 else f"with fewer than {most} faults"
        return f"no run {before} came to such a point, and there are no more than {most} (faults={most})"
    if FAULTS[fault].needs_key:
        return "no call here carries a key"
    if any(one.covers(where.operation, fault) for one in campaign.settings.when):
        return "when= held for no call here"
    return "no run came here with a fault left to put"
