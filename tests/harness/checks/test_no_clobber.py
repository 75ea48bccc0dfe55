"""`no-clobber` finds an undo that writes over what somebody else has written meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "no-clobber"
FAILURE = (ToolError, OSError)
MAIL_FAILS = "mail.send.1=422"


def saga(undo: Callable[[Any], str], **written: object) -> Callable[[Any], str]:
    """Solves a ticket, to which somebody then writes, and mails; if that fails, it undoes as it may."""

    def run(world: Any) -> str:
        world.crm.add_ticket("t1")
        world.direct.crm.set_status(ticket="t1", status="solved", key="k1")
        if written:
            world.crm.tickets.patch("t1", **written)
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            return undo(world)
        return "completed"

    return run


def writes_back(world: Any) -> str:
    world.direct.crm.set_status(ticket="t1", status="open")
    return "compensated"


def by_key(world: Any) -> str:
    """Right: the service refuses an undo of what has changed since."""
    try:
        world.direct.crm.undo_by_key("set_status", "k1")
    except FAILURE as error:
        world.direct.desk.open_case(text=f"mail.send: 422; left: crm.set_status t1 solved, {error}")
        return "escalated"
    return "compensated"


def leaves_it(_world: Any) -> str:
    """Right: it has seen the new value, and there is nothing of its own to take back."""
    return "compensated"


def test_an_undo_over_the_value_of_another_writer_is_found(judged: Judged) -> None:
    verdict = judged(saga(writes_back, status="on hold"), MAIL_FAILS)[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "undid crm.set_status t1 over what another writer had put there since: "
        "crm.tickets[t1].status: 'on hold' -> 'open'"
    )
    assert verdict.because.startswith("crm.set_status.2 (asked for at test_no_clobber.py:")
    assert verdict.calls == (2, 0)


@pytest.mark.parametrize("undo", [by_key, leaves_it])
def test_an_undo_that_is_refused_or_left_out_holds(judged: Judged, undo: Callable[[Any], str]) -> None:
    found = judged(saga(undo, status="on hold"), MAIL_FAILS)

    assert found[SLUG].state is State.HELD
    assert [slug for slug, verdict in found.items() if verdict.state is State.VIOLATED] == []


def test_an_undo_beside_what_another_writer_wrote_holds(judged: Judged) -> None:
    for undo in (writes_back, by_key):
        found = judged(saga(undo, priority="high"), MAIL_FAILS)
        assert found[SLUG].state is State.HELD
        assert found["compensated-is-clean"].state is State.HELD


def test_a_row_of_the_sagas_own_is_its_to_take_away(judged: Judged) -> None:
    def books(world: Any) -> str:
        room = world.direct.hotel.book(guest="ann")["id"]
        world.hotel.rooms.patch(room, guest="ben")
        world.direct.hotel.cancel(room=room)
        return "compensated"

    found = judged(books)
    assert found[SLUG].state is State.NOT_REACHED
    assert found["compensated-is-clean"].state is State.HELD


def test_where_nobody_else_writes_it_is_not_reached(judged: Judged) -> None:
    assert judged(saga(writes_back), MAIL_FAILS)[SLUG].state is State.NOT_REACHED
    assert judged(saga(writes_back, status="on hold"))[SLUG].state is State.NOT_REACHED


def test_what_another_writer_wrote_after_the_undo_is_none_of_its_doing(judged: Judged) -> None:
    def undone_before(world: Any) -> str:
        world.direct.crm.set_status(ticket="t1", status="open")
        world.crm.tickets.patch("t1", status="on hold")
        return "compensated"

    assert judged(saga(undone_before), MAIL_FAILS)[SLUG].state is State.HELD


def test_a_writer_that_a_fault_brings_in_is_one_as_well(judged: Judged) -> None:
    plan = f"crm.set_status.1=meddled,{MAIL_FAILS}"

    assert judged(saga(writes_back), plan)[SLUG].state is State.VIOLATED
    assert judged(saga(by_key), plan)[SLUG].state is State.HELD
