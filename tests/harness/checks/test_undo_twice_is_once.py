"""`undo-twice-is-once` finds an undo that cannot be repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "undo-twice-is-once"


def cancels(world: Any) -> str | None:
    room = world.direct.hotel.book(guest="ann")["id"]
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.hotel.cancel(room=room)
        return "compensated"
    return None


def reverses(world: Any) -> str | None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit)
        return "compensated"
    return None


def test_a_second_delivery_that_takes_effect_is_found(judged: Judged) -> None:
    verdict = judged(cancels, "mail.send.1=503,hotel.cancel.1=again")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "the undo of hotel.book room_1 was invoked twice and took effect twice"
    assert verdict.calls == (2,)


def test_a_second_delivery_that_is_refused_holds(judged: Judged) -> None:
    assert judged(reverses, "mail.send.1=503,bank.reverse.1=again")[SLUG].state is State.HELD


def test_without_a_second_delivery_it_is_not_reached(judged: Judged) -> None:
    assert judged(cancels, "mail.send.1=503")[SLUG].state is State.NOT_REACHED
