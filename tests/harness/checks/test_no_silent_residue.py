"""`no-silent-residue` finds what is left over and known to nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "no-silent-residue"


def just_raises(world: Any) -> None:
    world.direct.bank.issue(to="ann", amount=3, key="k1")
    world.direct.hotel.book(guest="ann")


def tells(world: Any) -> str | None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
    try:
        world.direct.hotel.book(guest="ann")
    except (ToolError, OSError) as error:
        world.direct.desk.open_case(text=f"credit:{credit['id']} stands, hotel.book may: {error}")
        return "escalated"
    return None


def unwinds(world: Any) -> None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
    try:
        world.direct.hotel.book(guest="ann")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit["id"])
        raise


def spoils_the_field(world: Any) -> str | None:
    world.crm.add_ticket("t1")
    world.direct.crm.set_status(ticket="t1", status="pending")
    world.direct.crm.set_status(ticket="t1", status="solved")
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.crm.set_status(ticket="t1", status="open")
        world.direct.crm.set_status(ticket="t1", status="pending")
        raise
    return None


def test_an_effect_known_to_nobody_is_found(judged: Judged) -> None:
    verdict = judged(just_raises, "hotel.book.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "raised ToolError, but bank.issue cr_1 (3) still stands and no open case names it"
    assert verdict.calls == (0,)


def test_an_effect_of_a_lost_answer_is_found(judged: Judged) -> None:
    verdict = judged(unwinds, "hotel.book.1=lost")[SLUG]

    assert (
        verdict.claim == "raised TimeoutError, but hotel.book room_1 still stands and no open case names it"
    )
    assert "though its caller never learnt of it" in verdict.because


def test_a_field_that_no_effect_explains_is_found(judged: Judged) -> None:
    verdict = judged(spoils_the_field, "mail.send.1=503")[SLUG]

    assert "crm.tickets[t1].status: 'open' -> 'pending', and no open case names it" in verdict.claim


def test_a_run_that_never_ended_is_judged_too(judged: Judged) -> None:
    def hangs(world: Any) -> None:
        just_raises(world)
        while world.direct.bank.issue(to="bob", amount=1, key="k2"):
            world.direct.crm.get_ticket(ticket="t1")

    assert judged(hangs)[SLUG].claim.startswith("the saga did not end, but bank.issue cr_1 (3) still stands")


def test_what_a_case_names_by_object_or_unknown_operation_holds(judged: Judged) -> None:
    assert judged(tells, "hotel.book.1=503")[SLUG].state is State.HELD
    assert judged(tells, "hotel.book.1=lost")[SLUG].state is State.HELD


def test_a_clean_unwind_holds(judged: Judged) -> None:
    assert judged(unwinds, "hotel.book.1=503")[SLUG].state is State.HELD


def test_without_an_effect_it_is_not_reached(judged: Judged) -> None:
    assert judged(just_raises, "bank.issue.1=503")[SLUG].state is State.NOT_REACHED


def test_completed_is_not_judged(judged: Judged) -> None:
    assert judged(just_raises)[SLUG].state is State.NOT_REACHED
