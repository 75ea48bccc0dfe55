"""`empty-undo-succeeds` finds who cannot let go of what never happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "empty-undo-succeeds"


def undoes_by_key(world: Any, *, times: int = 1, tell: bool = False, raises: bool = False) -> str | None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except (ToolError, OSError):
        for _ in range(times):
            world.direct.bank.undo_by_key("issue", "k1")
        if tell:
            world.direct.desk.open_case(text="could not undo bank.issue under key k1")
            return "escalated"
        if raises:
            raise
        return "compensated"
    return None


def cancels_an_unknown_credit(world: Any, *, times: int) -> str | None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except (ToolError, OSError):
        for _ in range(times):
            try:
                world.direct.bank.reverse(credit="cr_1")
            except (ToolError, OSError):
                continue
        return "compensated"
    return None


def test_who_goes_on_and_on_is_found(judged: Judged) -> None:
    verdict = judged(lambda world: undoes_by_key(world, times=5), "bank.issue.1=timeout")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "went on to undo what never happened, 4 times after it was told so"
    assert "was told that its key is fenced" in verdict.because

    verdict = judged(lambda world: cancels_an_unknown_credit(world, times=5), "bank.issue.1=503")[SLUG]
    assert verdict.because.endswith("was told 404")


def test_a_case_about_nothing_is_found(judged: Judged) -> None:
    verdict = judged(lambda world: undoes_by_key(world, tell=True), "bank.issue.1=timeout")[SLUG]

    assert verdict.claim == "opened case case_1 for what never happened"
    assert verdict.calls == (2, 1)


def test_a_quiet_success_holds(judged: Judged) -> None:
    for times in (1, 4):
        saga = lambda world, times=times: undoes_by_key(world, times=times)  # noqa: E731
        assert judged(saga, "bank.issue.1=timeout")[SLUG].state is State.HELD
        saga = lambda world, times=times: cancels_an_unknown_credit(world, times=times)  # noqa: E731
        assert judged(saga, "bank.issue.1=503")[SLUG].state is State.HELD


def test_a_case_that_has_another_reason_holds(judged: Judged) -> None:
    def saga(world: Any) -> str | None:
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.bank.issue(to="ann", amount=3, key="k1")
        except (ToolError, OSError):
            world.direct.bank.undo_by_key("issue", "k1")
            try:
                world.direct.hotel.cancel(room=room)
            except (ToolError, OSError):
                world.direct.desk.open_case(text=f"room {room}: unknown; bank.issue k1: never happened; 503")
                return "escalated"
            return "compensated"
        return None

    assert judged(saga, "bank.issue.1=503,hotel.cancel.1=lost")[SLUG].state is State.HELD


def test_the_undo_of_what_was_there_is_not_its_business(judged: Judged) -> None:
    assert judged(undoes_by_key, "bank.issue.1=lost")[SLUG].state is State.NOT_REACHED
    assert judged(undoes_by_key)[SLUG].state is State.NOT_REACHED
