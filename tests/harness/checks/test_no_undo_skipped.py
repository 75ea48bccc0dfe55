"""`no-undo-skipped` finds an effect that the unwind passes over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "no-undo-skipped"


def saga(world: Any, *, skip: bool = False, tell: bool = False) -> str | None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    room = world.direct.hotel.book(guest="ann")["id"]
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        try:
            world.direct.hotel.cancel(room=room)
            if not skip:
                world.direct.bank.reverse(credit=credit)
        except (ToolError, OSError):
            if not tell:
                raise
            world.direct.desk.open_case(text=f"after mail.send 503: {room} and {credit} are left")
            return "escalated"
        return "compensated"
    return None


def test_an_effect_passed_over_is_found(judged: Judged) -> None:
    verdict = judged(lambda world: saga(world, skip=True), "mail.send.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'compensated', but nothing tried to take bank.issue cr_1 (3) back"
    assert verdict.calls == (0,)


def test_to_stop_at_the_first_failure_without_a_word_is_found(judged: Judged) -> None:
    assert judged(saga, "mail.send.1=503,hotel.cancel.1=503")[SLUG].state is State.VIOLATED


def test_to_claim_compensated_without_any_undo_is_found(judged: Judged) -> None:
    def stub(world: Any) -> str | None:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            return "compensated"
        return None

    assert judged(stub, "mail.send.1=503")[SLUG].state is State.VIOLATED


def test_a_full_unwind_holds(judged: Judged) -> None:
    assert judged(saga, "mail.send.1=503")[SLUG].state is State.HELD


def test_an_undo_that_was_tried_and_failed_was_not_skipped(judged: Judged) -> None:
    assert judged(saga, "mail.send.1=503,bank.reverse.1=503")[SLUG].state is State.HELD


def test_to_stop_and_name_all_that_is_left_holds(judged: Judged) -> None:
    def tells(world: Any) -> str | None:
        return saga(world, tell=True)

    assert judged(tells, "mail.send.1=503,hotel.cancel.1=503")[SLUG].state is State.HELD


def test_past_a_pivot_and_without_an_unwind_it_is_not_reached(judged: Judged) -> None:
    assert judged(saga, "mail.send.1=lost")[SLUG].state is State.NOT_REACHED
    assert judged(saga)[SLUG].state is State.NOT_REACHED
    assert judged(saga, "bank.issue.1=503")[SLUG].state is State.NOT_REACHED
