"""The world at the end, against its start and against the end of the fault-free run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof import History, ToolError, World
from sagaproof._report.world_rows import world_rows

Run = Callable[[Callable[[World], object], str], History]


def solve(world: World) -> str:
    shop: Any = world.direct.shop
    world.shop.add_ticket("9104")
    credit = shop.issue_credit(customer="a", amount=3)
    try:
        shop.set_status(ticket="9104", status="solved")
    except (ToolError, OSError):
        shop.reverse_credit(credit=credit["id"])
        return "compensated"
    return "completed"


def test_without_faults_all_that_the_saga_did_is_changed_and_nothing_differs(ran: Run) -> None:
    rows = world_rows(ran(solve, ""))
    assert [(row.table, row.key, row.field, row.changed, row.differs) for row in rows] == [
        ("tickets", "9104", "status", True, False),
        ("credits", "cr_1", "", True, False),
    ]
    assert (rows[0].before, rows[0].after, rows[0].fault_free) == ("open", "solved", "solved")


def test_a_reversed_row_is_shown_and_is_not_owed(ran: Run) -> None:
    rows = world_rows(ran(solve, "shop.set_status.1=503"))
    ticket, credit = rows
    assert isinstance(credit.after, dict)
    assert credit.after["status"] == "reversed"
    assert (credit.changed, credit.differs) == (False, True)
    assert (ticket.before, ticket.after, ticket.fault_free) == ("open", "open", "solved")


def test_what_is_left_behind_comes_first_and_is_changed(ran: Run) -> None:
    rows = world_rows(ran(solve, "shop.set_status.1=lost"))
    assert (rows[0].table, rows[0].field, rows[0].changed, rows[0].differs) == (
        "tickets",
        "status",
        True,
        False,
    )
