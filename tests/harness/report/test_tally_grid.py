"""The grid names what became of each kind of fault at each step, also where none was put."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sagaproof import World
from sagaproof._model.point import Phase
from sagaproof._search.campaign import Campaign, Cell
from sagaproof._search.settings import Exclusion, Settings
from sagaproof._tally.grid import _PHASES, CellState, Grid, GridCell, grid

Explored = Callable[..., Campaign]
OUTAGES = ("outage",)


def cell(found: Grid, step: str, fault: str) -> GridCell:
    row = next(row for row in found.rows if str(row.where).startswith(step))
    return row.cells[found.faults.index(fault)]


def test_steps_come_in_the_order_of_the_fault_free_run_and_undos_after_them(campaign: Campaign) -> None:
    steps = (f"{row.where.operation} {row.where.phase}" for row in grid(campaign).rows)
    assert list(dict.fromkeys(steps)) == [
        "shop.issue_credit forward",
        "shop.set_status forward",
        "shop.send forward",
        "shop.set_status undo",
        "shop.reverse_credit undo",
    ]


def test_every_phase_has_its_place_in_the_order() -> None:
    assert set(_PHASES) == set(Phase)


def test_a_cell_with_one_bad_run_is_violated_and_one_without_held(campaign: Campaign) -> None:
    found = grid(campaign)
    assert cell(found, "shop.reverse_credit/undo", "503").state is CellState.VIOLATED
    held = cell(found, "shop.issue_credit/forward", "503")
    assert (held.state, held.violated, held.glyph) == (CellState.HELD, 0, "✔")
    assert held.runs > 0


def test_an_excluded_cell_keeps_its_reason(explored: Explored) -> None:
    exclude = (Exclusion("shop.send", "503", "the mail relay queues"),)
    found = grid(explored(settings=Settings(faults=1, families=OUTAGES, exclude=exclude)))
    assert cell(found, "shop.send", "503") == GridCell(CellState.EXCLUDED, reason="the mail relay queues")


def test_an_undo_that_more_faults_would_reach_is_a_row_of_unreachable_cells(explored: Explored) -> None:
    found = grid(explored(settings=Settings(faults=1, families=OUTAGES)))
    assert cell(found, "shop.reverse_credit/undo", "503").state is CellState.UNREACHABLE


def test_what_the_budget_cut_off_is_skipped_and_not_unreachable(explored: Explored) -> None:
    found = grid(explored(settings=Settings(faults=1, families=OUTAGES, runs_max=2)))
    assert cell(found, "shop.issue_credit/forward", "503").state is CellState.SKIPPED, "the pivot comes first"


def test_a_fault_that_cannot_be_put_there_is_not_applicable(explored: Explored) -> None:
    def reads(world: World) -> str:
        world.shop.add_ticket("9104")
        world.direct.shop.get_ticket(ticket="9104")
        world.direct.shop.send(text="x")
        return "completed"

    found = grid(explored(reads, settings=Settings(faults=1)))
    assert cell(found, "shop.get_ticket", "lost").state is CellState.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("counted", "state"),
    [
        (Cell(runs=3), CellState.HELD),
        (Cell(runs=3, inert=1), CellState.INERT),
        (Cell(runs=3, inert=1, violated=1), CellState.VIOLATED),
        (Cell(pruned=3), CellState.PRUNED),
    ],
)
def test_the_worst_that_was_counted_is_the_state(campaign: Campaign, counted: Cell, state: CellState) -> None:
    where = next(where for where, fault in campaign.cells if fault == "503")
    found = grid(replace(campaign, cells={(where, "503"): counted}))
    assert cell(found, str(where), "503").state is state


def test_a_campaign_without_a_run_has_an_empty_grid() -> None:
    assert grid(Campaign("x", Settings(), ("opaque",))) == Grid((), ())


# Writes into a journal --------------------------------------------------------------------------------------


def keeps_a_journal(world: World) -> str:
    note = world.durable(lambda _: None)
    note("begun")
    world.direct.shop.send(text="x")
    note("done")
    return "completed"


def journal_rows(found: Grid) -> dict[str, str]:
    """The states of the cells that apply, by the position of the row."""
    rows = [row for row in found.rows if row.where.phase is Phase.JOURNAL]
    assert {row.where.operation for row in rows} <= {"journal.append"}
    return {
        row.where.position: " ".join(c.state for c in row.cells if c.state is not CellState.NOT_APPLICABLE)
        for row in rows
    }


def test_writes_into_a_journal_are_rows_below_the_steps(explored: Explored) -> None:
    settings = Settings(faults=1, families=("crash",))
    found = grid(explored(keeps_a_journal, recover=lambda _: "completed", checks=(), settings=settings))
    assert journal_rows(found) == {"before-pivot": "held held", "after-pivot": "held held"}
    assert [row.where.phase for row in found.rows][-2:] == [Phase.JOURNAL, Phase.JOURNAL]
    assert found.faults == ("crash-before", "crash-after", "crash-late")


def test_writes_that_the_budget_left_out_are_skipped(explored: Explored) -> None:
    settings = Settings(faults=1, families=("crash",), runs_max=2)
    found = grid(explored(keeps_a_journal, recover=lambda _: "completed", checks=(), settings=settings))
    assert "skipped" in journal_rows(found)["after-pivot"]


def test_writes_of_a_saga_that_is_never_killed_are_no_rows(explored: Explored) -> None:
    found = grid(explored(keeps_a_journal, settings=Settings(faults=1, families=("outage", "crash"))))
    assert journal_rows(found) == {}
