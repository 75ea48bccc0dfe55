"""`undone-once` finds what was taken back twice, or by too much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "undone-once"


def cancels_on_every_failure(world: Any) -> str | None:
    """The list of what is done is not cleared after the first unwind."""
    done = [world.direct.hotel.book(guest="ann")["id"]]
    for attempt in (1, 2):
        try:
            world.direct.bank.issue(to="ann", amount=attempt, key=f"k{attempt}")
        except (ToolError, OSError):
            for room in done:
                world.direct.hotel.cancel(room=room)
        else:
            return None
    return "compensated"


def cancels_once(world: Any) -> str | None:
    room = world.direct.hotel.book(guest="ann")["id"]
    try:
        world.direct.bank.issue(to="ann", amount=1, key="k1")
    except (ToolError, OSError):
        world.direct.hotel.cancel(room=room)
        return "compensated"
    return None


def reverses(*amounts: int | None) -> Callable[[Any], str | None]:
    def saga(world: Any) -> str | None:
        credit = world.direct.bank.issue(to="ann", amount=5, key="k1")
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            for amount in amounts:
                world.direct.bank.reverse(credit=credit["id"], amount=amount)
            return "compensated"
        return None

    return saga


def retries_the_undo(world: Any) -> str | None:
    room = world.direct.hotel.book(guest="ann")["id"]
    try:
        world.direct.bank.issue(to="ann", amount=1, key="k1")
    except (ToolError, OSError):
        try:
            world.direct.hotel.cancel(room=room)
        except TimeoutError:
            world.direct.hotel.cancel(room=room)
        return "compensated"
    return None


def test_an_effect_undone_in_two_unwinds_is_found(judged: Judged) -> None:
    verdict = judged(cancels_on_every_failure, "bank.issue.1=503,bank.issue.2=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "hotel.book room_1 was taken back twice"
    assert "hotel.cancel.1 (asked for at" in verdict.because
    assert "hotel.cancel.2 (asked for at" in verdict.because
    assert verdict.calls == (4, 2, 0)


def test_a_retried_undo_that_took_effect_twice_is_found(judged: Judged) -> None:
    assert judged(retries_the_undo, "bank.issue.1=503,hotel.cancel.1=lost")[SLUG].state is State.VIOLATED


def test_too_much_is_found(judged: Judged) -> None:
    assert judged(reverses(7), "mail.send.1=503")[SLUG].claim == (
        "bank.issue cr_1 (5) was taken back with 7, 2 too much"
    )
    assert judged(reverses(3, 3), "mail.send.1=503")[SLUG].claim == (
        "bank.issue cr_1 (5) was taken back with 6, 1 too much"
    )


def test_parts_that_add_up_hold(judged: Judged) -> None:
    for amounts in ((None,), (2, 3), (2, None), (4,)):
        assert judged(reverses(*amounts), "mail.send.1=503")[SLUG].state is State.HELD


def test_one_undo_holds(judged: Judged) -> None:
    assert judged(cancels_once, "bank.issue.1=503")[SLUG].state is State.HELD


def test_a_second_delivery_by_the_network_is_left_to_another_check(judged: Judged) -> None:
    assert judged(cancels_once, "bank.issue.1=503,hotel.cancel.1=again")[SLUG].state is State.HELD


def test_undone_done_again_and_undone_again_holds(judged: Judged) -> None:
    def saga(world: Any) -> str | None:
        world.crm.add_ticket("t1")
        for key in ("k1", "k2"):
            world.direct.crm.set_status(ticket="t1", status="solved")
            try:
                world.direct.mail.send(to="ann", key=key)
            except (ToolError, OSError):
                world.direct.crm.set_status(ticket="t1", status="open")
            else:
                return None
        return "compensated"

    verdicts = judged(saga, "mail.send.1=503/all")

    assert verdicts[SLUG].state is State.HELD
    assert verdicts["compensated-is-clean"].state is State.HELD


def test_without_an_undo_it_is_not_reached(judged: Judged) -> None:
    assert judged(cancels_once)[SLUG].state is State.NOT_REACHED
    assert judged(cancels_once, "bank.issue.1=503,hotel.cancel.1=503")[SLUG].state is State.NOT_REACHED
