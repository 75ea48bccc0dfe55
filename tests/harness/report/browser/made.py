"""Reports as large as one likes, made by hand, with cells in every state."""

from __future__ import annotations

from typing import Final

from tests.harness.report.browser.made_finding import CHECKS, SYSTEMS, finding

from sagaproof._model.faults import FAULTS
from sagaproof._report.grid_parts import cells_part
from sagaproof._report.schema import (
    CheckPart,
    ExclusionPart,
    GatePart,
    GridCellPart,
    GridPart,
    GridRowPart,
    Report,
    ScenarioPart,
    SometimesPart,
    TallyPart,
)
from sagaproof._tally.grid import GLYPHS, CellState

__all__ = ["FAULT_NAMES", "made"]

FAULT_NAMES: Final = (
    *[name for name in FAULTS if not name.startswith("crash")][:38],
    "crash-before",
    "crash-after",
)
PHASES: Final = (("forward", "first"), ("forward", "retry"), ("undo", "first"), ("undo", "retry"))
STATES: Final = [state for state in CellState if state is not CellState.NOT_APPLICABLE]


def made(*, scenarios: int = 2, rows: int = 8, findings: int = 6) -> Report:
    """A report of so many scenarios, each with that many rows of cells, one for each fault, and findings."""
    return Report(
        version="1.0",
        scenarios=tuple(_scenario(number, rows, findings) for number in range(1, scenarios + 1)),
        gates=(
            GatePart(gate="fail-under", passed=True, text="97.00 of 95 percent of the cells are covered"),
        ),
    )


def _scenario(number: int, rows: int, findings: int) -> ScenarioPart:
    grid = GridPart(faults=FAULT_NAMES, rows=tuple(_row(row) for row in range(rows)))
    found = tuple(finding(number, one, _plan(one)) for one in range(findings))
    return ScenarioPart(
        name=f"story-{number}",
        status="findings",
        exit_code=1,
        expected_met=None,
        missing=(),
        surplus=(),
        scripts=("opaque",),
        runs=1200,
        findings=found,
        tally=(_tally(0, 1), _tally(1, 300), _tally(2, 1400)),
        checks=tuple(
            CheckPart(check=check, state="violated", held=100, violated=20, not_reached=3) for check in CHECKS
        ),
        sometimes=(
            SometimesPart(
                sometimes="undo-after-restart",
                state="reached",
                count=3,
                best=2,
                stages=("it dies", "it undoes"),
                script="opaque",
                plan="mail.send.1=503",
            ),
        ),
        grid=grid,
        cells=cells_part(grid),
        excluded=(ExclusionPart(operation="mail.send", fault="bounced", reason="the mailer cannot"),),
        notes=("a note",),
        incomplete=("something was not tried",),
        errors=(),
        seconds=1.5,
    )


def _tally(k: int, reachable: int) -> TallyPart:
    run = reachable // 2 or 1
    return TallyPart(
        k=k,
        reachable=reachable,
        bound="exact",
        run=run,
        pruned=reachable - run,
        skipped=0,
        audited=10,
        mismatched=0,
        complete=True,
        attempted=True,
        text=f"k={k}",
    )


def _operation(row: int) -> str:
    return f"{SYSTEMS[row % len(SYSTEMS)]}.step_{row}"


def _row(row: int) -> GridRowPart:
    phase, attempt = PHASES[row % len(PHASES)]
    return GridRowPart(
        operation=_operation(row // len(PHASES)),
        phase=phase,
        attempt=attempt,
        position="before-pivot",
        cells=tuple(_cell(row, column, fault) for column, fault in enumerate(FAULT_NAMES)),
    )


def _cell(row: int, column: int, fault: str) -> GridCellPart:
    state = STATES[(row + column) % len(STATES)]
    plan = f"{_operation(row // len(PHASES))}.1={fault}"
    pruned = state is CellState.PRUNED
    return GridCellPart(
        state=state.value,  # type: ignore[arg-type]  # a member of the same words
        glyph=GLYPHS[state],
        runs=12,
        violated=3 if state is CellState.VIOLATED else 0,
        reason="as the user said" if state is CellState.EXCLUDED else "",
        inert=12 if state is CellState.INERT else 0,
        pruned=7 if pruned else 0,
        plan=plan,
        script="opaque",
        rule="R4" if pruned else None,
        representative=f"{_operation(row // len(PHASES))}.1={FAULT_NAMES[column - 1]}" if pruned else None,
    )


def _plan(number: int) -> str:
    """A plan whose first fault is in a violated cell of the first row of its operation."""
    step = number % 2
    columns = [
        c
        for c in range(len(FAULT_NAMES))
        if STATES[(step * len(PHASES) + c) % len(STATES)] is CellState.VIOLATED
    ]
    fault = FAULT_NAMES[columns[number // 2 % len(columns)]]
    first = f"{_operation(step)}.1={fault}"
    return f"{first},mail.late_{number}.1=503" if number % 3 else first
