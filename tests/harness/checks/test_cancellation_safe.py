"""`cancellation-safe` finds a saga that a cancellation gets past."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sagaproof._checks.cancellation_safe import CancellationSafe
from sagaproof._checks.protocol import Facts, State, Verdict
from sagaproof._model.faults import FAULTS
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "cancellation-safe"
CANCELS = [name for name, fault in FAULTS.items() if fault.family == "cancel"]


async def is_cancelled() -> None:
    """Stands for any wait in which the task is cancelled."""
    raise asyncio.CancelledError


async def catches_exceptions_only(world: Any) -> None:
    """The mistake of Python 3.8 and later: a cancellation is no `Exception`."""
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        await is_cancelled()
    except Exception:  # noqa: BLE001  # that is the bug
        world.direct.bank.reverse(credit=credit)


async def unwinds_and_raises(world: Any) -> None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        await is_cancelled()
    except BaseException:
        world.direct.bank.reverse(credit=credit)
        raise


async def unwinds_half(world: Any) -> None:
    """The unwind waits as well, and is cancelled once more."""
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    room = world.direct.hotel.book(guest="ann")["id"]
    try:
        await is_cancelled()
    except BaseException:
        world.direct.hotel.cancel(room=room)
        await is_cancelled()
        world.direct.bank.reverse(credit=credit)
        raise


async def tells(world: Any) -> None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        await is_cancelled()
    except BaseException:
        world.direct.desk.open_case(text=f"cancelled, left: {credit}")
        raise


def books(*, swallows: bool) -> Callable[[Any], Any]:
    """A saga that is cancelled while it waits for a tool, and goes on as if nothing had been."""

    async def run(world: Any) -> None:
        async def reserve(seat: str) -> str:
            return seat

        async def release(seat: str) -> None:
            """Give the seat back."""

        reserve = world.tool(reserve, cls=3, undo="release", ref="seat")
        release = world.tool(release, cls=3, ref="seat")
        try:
            await reserve(seat="12a")
        except asyncio.CancelledError:
            await release(seat="12a")
            if not swallows:
                raise

    return run


def test_a_cancellation_that_gets_past_the_unwind_is_found(judged: Judged) -> None:
    verdict = judged(catches_exceptions_only)[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "was cancelled, and raised CancelledError, "
        "but bank.issue cr_1 (3) still stands and no open case names it"
    )
    assert verdict.because.startswith("bank.issue.1 (asked for at test_cancellation_safe.py:")
    assert verdict.calls == (0,)


def test_an_unwind_that_is_cut_in_half_is_found(judged: Judged) -> None:
    assert "bank.issue cr_1 (3) still stands" in judged(unwinds_half)[SLUG].claim


def test_a_complete_unwind_or_a_case_and_the_cancellation_raised_again_hold(judged: Judged) -> None:
    for saga in (unwinds_and_raises, tells):
        assert judged(saga)[SLUG].state is State.HELD


def test_who_is_not_cancelled_is_not_judged(judged: Judged) -> None:
    async def fails(world: Any) -> None:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
        raise ToolError(500, "broken", "no cancellation")

    assert judged(fails)[SLUG].state is State.NOT_REACHED


def test_a_cancellation_that_is_swallowed_though_something_is_missing_is_found(judged: Judged) -> None:
    verdict = judged(books(swallows=True), "tools.reserve.1=cancel-before")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim.startswith(
        "was cancelled at tools.reserve.1, and said 'completed', but tools.reserve 12a"
    )
    for fault in ("cancel-before", "cancel"):
        assert judged(books(swallows=False), f"tools.reserve.1={fault}")[SLUG].state is State.HELD


def test_it_applies_where_a_cancellation_was_injected() -> None:
    facts = Facts(*(frozenset(),) * 5, escalates=False, amounts=False, keys=False, retried=False)

    assert not CancellationSafe().applies(facts)
    assert CANCELS
    for name in CANCELS:
        assert CancellationSafe().applies(replace(facts, faults=frozenset({name})))
