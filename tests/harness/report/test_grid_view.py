"""The grid on the page: steps with their rows, crashes last, cells that say what was counted and lead on."""

from __future__ import annotations

import pytest
from tests.harness.report.browser.made import FAULT_NAMES, made

from sagaproof._report.card_view import anchors
from sagaproof._report.grid_view import GridView, grid_view


@pytest.fixture(scope="module")
def view() -> GridView:
    report = made(scenarios=1)
    (found,) = anchors(report.scenarios)
    return grid_view(report.scenarios[0].grid, found, "s1")


def test_a_step_has_a_row_for_each_thing_that_it_is_called_for(view: GridView) -> None:
    assert [step.operation for step in view.steps] == ["crm.step_0", "billing.step_1"]
    for step in view.steps:
        assert [row.label for row in step.rows] == ["forward", "forward retry", "undo", "undo retry"]


def test_crashes_come_last_wherever_they_stood() -> None:
    scenario = made(scenarios=1).scenarios[0]
    faults = scenario.grid.faults
    turned = scenario.grid.model_copy(
        update={
            "faults": faults[::-1],
            "rows": tuple(row.model_copy(update={"cells": row.cells[::-1]}) for row in scenario.grid.rows),
        }
    )
    found = grid_view(turned, {}, "s1")
    assert found.faults == (faults[:-2][::-1], ("crash-after", "crash-before"))
    row = found.steps[0].rows[0]
    assert row.cells[-1].title.endswith("=crash-before")


def test_the_legend_counts_each_state_once(view: GridView) -> None:
    cells = [cell for step in view.steps for row in step.rows for cell in row.cells]
    assert sum(row.cells for row in view.legend) == len(cells) == 8 * len(FAULT_NAMES)
    for row in view.legend:
        assert row.cells == sum(cell.state == row.state for cell in cells)


def test_a_cell_leads_to_the_findings_whose_smallest_plan_has_its_fault(view: GridView) -> None:
    report = made(scenarios=1)
    (found,) = anchors(report.scenarios)
    led = {anchor for step in view.steps for row in step.rows for c in row.cells for anchor in c.findings}
    assert led == set(found)
    for step in view.steps:
        for row in step.rows:
            for fault, cell in zip(FAULT_NAMES, row.cells, strict=True):
                for anchor in cell.findings:
                    assert f"{step.operation}.1={fault}" in found[anchor].plan


def test_a_pruned_cell_leads_to_the_one_whose_plan_was_run(view: GridView) -> None:
    cells = {
        cell.anchor: cell for step in view.steps for row in step.rows for cell in row.cells if cell.anchor
    }
    pruned = [
        c for step in view.steps for row in step.rows for c in row.cells if c.state == "pruned" and c.instead
    ]
    assert pruned
    for cell in pruned:
        plan = cells[cell.instead].title.rpartition(" ")[2]
        assert cell.title.startswith(f"pruned: 7 plans left out by R4; instead of them was run {plan}")


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("held", "held: 12 runs had it here, and no check was violated"),
        ("violated", "violated: 3 of 12 runs that had it here violate a check"),
        ("inert", "inert: 12 of 12 runs that had it here went as they go without it"),
        ("excluded", "excluded: as the user said"),
        ("skipped", "skipped: no run had it here"),
    ],
)
def test_a_cell_says_what_was_counted_of_it(view: GridView, state: str, says: str) -> None:
    titles = {
        c.title.partition("\n")[0]
        for s in view.steps
        for row in s.rows
        for c in row.cells
        if c.state == state
    }
    assert titles == {says}
