"""`late-effect-fenced` finds what comes about after it was undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "late-effect-fenced"


def undoes_by_key(world: Any, key_of_the_undo: str = "k1") -> str | None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except TimeoutError:
        world.direct.bank.undo_by_key("issue", key_of_the_undo)
        return "compensated"
    return None


def cancels_a_retry(world: Any) -> str | None:
    """Two attempts without a key; only the one that answered is undone."""
    try:
        room = world.direct.hotel.book(guest="ann")["id"]
    except TimeoutError:
        room = world.direct.hotel.book(guest="ann")["id"]
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.hotel.cancel(room=room)
        return "compensated"
    return None


def test_an_effect_that_lands_after_its_undo_is_found(judged: Judged) -> None:
    verdict = judged(cancels_a_retry, "hotel.book.1=late-end,mail.send.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "hotel.book room_2 came about after it had been undone, and stands"
    assert verdict.because.startswith("hotel.cancel.1 (asked for at")
    assert verdict.calls == (0, 2)


def test_a_fence_holds(judged: Judged) -> None:
    for fault in ("late-undo", "late-end"):
        assert judged(undoes_by_key, f"bank.issue.1={fault}")[SLUG].state is State.HELD


def test_an_undo_of_something_else_does_not_reach_it(judged: Judged) -> None:
    def saga(world: Any) -> str | None:
        return undoes_by_key(world, "k2")

    assert judged(saga, "bank.issue.1=late-end")[SLUG].state is State.NOT_REACHED


def test_what_landed_before_its_undo_is_not_its_business(judged: Judged) -> None:
    assert judged(undoes_by_key, "bank.issue.1=late")[SLUG].state is State.NOT_REACHED
