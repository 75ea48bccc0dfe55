"""A timeline tells what the client was told and what happened to the effect, in the order it came."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sagaproof import History, ToolError, World
from sagaproof._report.fault_words import fault_parts
from sagaproof._report.schema import Step
from sagaproof._report.sites import Sites
from sagaproof._report.timeline import timeline

Run = Callable[[Callable[[World], object], str], History]


ERRORS = (ToolError, OSError)


def steps(history: History, about: Sequence[int] = ()) -> tuple[Step, ...]:
    return timeline(history, Sites(stable=True), about)


def retrying(world: World) -> str:
    for _ in range(3):
        try:
            world.direct.shop.issue_credit(customer="a", amount=3)
        except ERRORS:
            continue
        return "completed"
    return "refused"


def going_round(world: World) -> str:
    world.shop.add_ticket("9104")
    for _ in range(2):
        try:
            world.direct.shop.get_ticket(ticket="9104")
            world.direct.shop.issue_credit(customer="a", amount=3)
        except ERRORS:
            time.sleep(1.5)
        else:
            return "completed"
    return "refused"


def credit_and_back(world: World) -> str:
    shop: Any = world.direct.shop
    try:
        credit = shop.issue_credit(customer="a", amount=3)["id"]
    except ERRORS:
        credit = "cr_1"
    shop.reverse_credit(credit=credit)
    return "compensated"


def test_attempts_in_a_row_are_one_row(ran: Run) -> None:
    first, end = steps(ran(retrying, "shop.issue_credit.1=503/2"))
    assert (first.told, first.attempts, first.applied, first.happened) == (
        "503 x2, ok",
        3,
        1,
        "applied: credits cr_1 added",
    )
    assert (end.kind, end.what) == ("ended", "said 'completed'")


def test_a_later_attempt_stands_where_it_came_under_the_same_number(ran: Run) -> None:
    found = steps(ran(going_round, "shop.issue_credit.1=503"))
    assert [(step.number, step.what, step.attempt) for step in found] == [
        (1, "shop.get_ticket 9104", 1),
        (2, "shop.issue_credit a 3", 1),
        (None, "waited 1.5 s", 1),
        (3, "shop.get_ticket 9104", 1),
        (2, "shop.issue_credit a 3", 2),
        (None, "said 'completed'", 1),
    ]
    assert found[4].remark == "cr_1, attempt 2"


@pytest.mark.parametrize(
    ("seconds", "said"), [(1.5, "1.5 s"), (119, "119 s"), (600, "10 min"), (5400, "90 min"), (172800, "48 h")]
)
def test_a_wait_is_told_in_the_unit_in_which_it_is_read(ran: Run, seconds: float, said: str) -> None:
    def waits(_world: Any) -> str:
        time.sleep(seconds)
        return "completed"

    assert steps(ran(waits, ""))[0].what == f"waited {said}"


def test_a_lost_answer_is_told_as_a_timeout_and_happened_all_the_same(ran: Run) -> None:
    lost = steps(ran(credit_and_back, "shop.issue_credit.1=lost"))[0]
    assert (lost.told, lost.ok, lost.happened, lost.remark) == (
        "timeout",
        False,
        "applied: credits cr_1 added",
        "cr_1",
    )
    assert lost.faults == (1,)


def test_an_undo_names_the_call_that_it_means(ran: Run) -> None:
    undo = steps(ran(credit_and_back, ""), about=[1])[1]
    assert (undo.phase, undo.undoes, undo.remark, undo.about) == ("undo", 1, "undoes 1", True)
    assert undo.happened == "applied: credits cr_1 status issued -> reversed"


def test_what_lands_late_has_a_row_of_its_own(ran: Run) -> None:
    found = steps(ran(retrying, "shop.issue_credit.1=late-end"))
    assert found[0].told == "timeout, ok"
    assert [step.kind for step in found] == ["call", "ended", "landed"]
    assert found[2].what == "shop.issue_credit of step 1 arrives late"
    assert found[2].happened == "applied: credits cr_2 added"


def test_what_is_on_its_way_is_not_said_to_be_lost(ran: Run) -> None:
    held_back = steps(ran(credit_and_back, "shop.issue_credit.1=late"))[0]
    assert (held_back.happened, held_back.applied) == ("on its way, to arrive before the next call", 0)


def test_set_up_is_no_part_of_the_timeline(ran: Run) -> None:
    assert "wrote" not in {step.kind for step in steps(ran(going_round, ""))}


def test_a_write_by_no_call_is(ran: Run) -> None:
    def meddling(world: World) -> str:
        world.direct.shop.issue_credit(customer="a", amount=3)
        world.shop.add_ticket("9104")
        return "completed"

    assert steps(ran(meddling, ""))[1].what == "shop: tickets 9104 added, by no call"


def test_faults_are_numbered_as_they_were_met_and_said_in_words(ran: Run) -> None:
    def mail_first(world: World) -> str:
        world.shop.add_ticket("9104")
        for call in ("send", "issue_credit"):
            args: dict[str, Any] = {"text": "x"} if call == "send" else {"customer": "a", "amount": 3}
            for _ in range(2):
                try:
                    getattr(world.direct.shop, call)(**args)
                    break
                except ERRORS:
                    continue
        return "completed"

    history = ran(mail_first, "shop.issue_credit.1=503/all,shop.send.1:2=lost,shop.send.1=503")
    assert [(part.number, part.point, part.text) for part in fault_parts(history.plan, history)] == [
        (1, "shop.send.1", "not applied, 503"),
        (2, "shop.send.1:2", "applied, timeout, at attempt 2"),
        (3, "shop.issue_credit.1", "not applied, 503, until given up"),
    ]
    assert [step.faults for step in steps(history) if step.kind == "call"] == [(1, 2), (3,)]


def test_an_outage_marks_each_call_that_it_hits(ran: Run) -> None:
    found = steps(ran(credit_and_back, "shop.issue_credit.1=outage"))
    assert [step.faults for step in found if step.kind == "call"] == [(1,), (1,)]
