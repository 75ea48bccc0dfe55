"""`ambiguous-pivot-is-pivot` finds who unwinds on a guess, also where the guess was lucky."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sagaproof._checks.ambiguous_pivot_is_pivot import AmbiguousPivotIsPivot
from sagaproof._checks.protocol import Facts, State
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle

Run = Callable[..., History]
Systems = Callable[[], dict[str, Any]]
CHECK = AmbiguousPivotIsPivot()
FAILURE = (ToolError, OSError)
SILENCES = ("timeout", "lost", "torn", "garbage", "late", "500-applied", "500", "502", "504", "dropped")


def saga(world: Any, settle: Callable[[Any], bool], *, attempts: int = 1) -> str:
    """Credits, mails, and takes the credit back if `settle(world)` says that the mail is not out."""
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    for left in range(attempts - 1, -1, -1):
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE as error:
            if left and not isinstance(error, ToolError):
                continue
            if not settle(world):
                world.direct.desk.open_case(text=f"mail.send k2: {error}; {credit} stands")
                return "escalated"
            world.direct.bank.reverse(credit=credit)
            return "compensated"
        else:
            break
    return "completed"


def guesses(_world: Any) -> bool:
    return True


def tells(_world: Any) -> bool:
    return False


def looks(world: Any) -> bool:
    return bool(world.direct.mail.lookup(operation="send", key="k2")["state"] == "absent")


def fences(world: Any) -> bool:
    try:
        return bool(world.direct.mail.undo_by_key("send", "k2")["state"] == "fenced")
    except FAILURE:
        return False


def fences_and_looks_away(world: Any) -> bool:
    with suppress(*FAILURE):
        world.direct.mail.undo_by_key("send", "k2")
    return True


def looks_and_fences(world: Any) -> bool:
    return looks(world) and fences(world)


@pytest.mark.parametrize("fault", SILENCES)
def test_an_unwind_on_a_guess_is_found_whatever_the_silence(run: Run, fault: str) -> None:
    verdict = CHECK.judge(run(lambda world: saga(world, guesses), f"mail.send.1={fault}"))

    assert verdict.state is State.VIOLATED


def test_the_finding_says_what_was_taken_back_and_what_was_unknown(run: Run) -> None:
    verdict = CHECK.judge(run(lambda world: saga(world, guesses), "mail.send.1=timeout"))

    assert verdict.claim == (
        "bank.issue cr_1 (3) was to be taken back although mail.send.1, which is irreversible, "
        "may have happened"
    )
    assert "was told 'timeout', and nothing had settled what became of it" in verdict.because
    assert verdict.calls == (2, 1)


def test_a_read_that_says_absent_settles_nothing(run: Run) -> None:
    verdict = CHECK.judge(run(lambda world: saga(world, looks), "mail.send.1=timeout"))

    assert verdict.state is State.VIOLATED


def test_a_refusal_of_the_second_attempt_settles_nothing(run: Run) -> None:
    plan = "mail.send.1=timeout,mail.send.1:2=422"
    verdict = CHECK.judge(run(lambda world: saga(world, guesses, attempts=2), plan))

    assert verdict.state is State.VIOLATED


def test_a_fence_that_was_not_acknowledged_settles_nothing(run: Run) -> None:
    for fault in ("503", "timeout", "422"):
        plan = f"mail.send.1=timeout,mail.undo_send.1={fault}"
        verdict = CHECK.judge(run(lambda world: saga(world, fences_and_looks_away), plan))
        assert verdict.state is State.VIOLATED


def test_a_fence_of_another_key_settles_nothing(run: Run) -> None:
    def fences_another(world: Any) -> bool:
        world.direct.mail.undo_by_key("send", "k9")
        return True

    verdict = CHECK.judge(run(lambda world: saga(world, fences_another), "mail.send.1=timeout"))

    assert verdict.state is State.VIOLATED


@pytest.mark.parametrize("fault", SILENCES)
def test_who_fences_first_or_tells_a_person_holds(run: Run, fault: str) -> None:
    for settle in (fences, looks_and_fences, tells):
        history = run(lambda world, settle=settle: saga(world, settle), f"mail.send.1={fault}")
        assert CHECK.judge(history).state is State.HELD


def test_a_retry_that_succeeds_holds(run: Run) -> None:
    history = run(lambda world: saga(world, guesses, attempts=2), "mail.send.1=timeout")

    assert history.claim == "completed"
    assert CHECK.judge(history).state is State.HELD


def test_a_refusal_and_an_unavailable_service_are_no_silence(run: Run) -> None:
    for fault in ("422", "refused", "503", "429", "soft-error"):
        history = run(lambda world: saga(world, guesses), f"mail.send.1={fault}")
        assert CHECK.judge(history).state is State.NOT_REACHED


def test_an_unwind_before_the_pivot_does_not_reach_it(run: Run) -> None:
    def books_first(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.hotel.book(guest="ann")
        except FAILURE:
            world.direct.bank.reverse(credit=credit)
            return "compensated"
        world.direct.mail.send(to="ann", key="k2")
        return "completed"

    assert CHECK.judge(run(books_first, "hotel.book.1=timeout")).state is State.NOT_REACHED


def test_to_take_back_what_was_done_after_the_pivot_holds(run: Run) -> None:
    def books_later(world: Any) -> str:
        with suppress(TimeoutError):
            world.direct.mail.send(to="ann", key="k2")
        room = world.direct.hotel.book(guest="ann")["id"]
        world.direct.hotel.cancel(room=room)
        world.direct.desk.open_case(text=f"mail.send k2 timed out; {room} cancelled")
        return "escalated"

    assert CHECK.judge(run(books_later, "mail.send.1=timeout")).state is State.HELD


def test_a_hold_that_is_released_in_the_ordinary_way_holds(run: Run) -> None:
    def holds(world: Any) -> str:
        room = world.direct.hotel.book(guest="ann")["id"]
        with suppress(TimeoutError):
            world.direct.mail.send(to="ann", key="k2")
        world.direct.hotel.cancel(room=room)
        return "completed"

    assert CHECK.judge(run(holds, "mail.send.1=lost")).state is State.HELD


def test_after_a_crash_in_the_pivot_the_unwind_needs_a_fence_too(systems: Systems) -> None:
    kept: list[str] = []

    def body(world: Any) -> str:
        kept.clear()
        kept.append(world.direct.bank.issue(to="ann", amount=3, key="k1")["id"])
        world.direct.mail.send(to="ann", key="k2")
        kept.clear()
        return "completed"

    def recovering(settle: Callable[[Any], bool]) -> Callable[[Any], str]:
        def recover(world: Any) -> str:
            if kept and settle(world):
                world.direct.bank.reverse(credit=kept.pop())
                return "compensated"
            return "escalated" if kept else "compensated"

        return recover

    for settle, state in ((guesses, State.VIOLATED), (looks, State.VIOLATED), (fences, State.HELD)):
        with Runner(WorldHandle(systems()), CallableDriver(body, recovering(settle))) as runner:
            history = runner.run(OPAQUE, Plan.parse("mail.send.1=crash-before"))
        assert CHECK.judge(history).state is state


def facts(*, classes: set[int], undos: set[str], faults: set[str]) -> Facts:
    return Facts(
        frozenset(),
        frozenset(undos),
        frozenset(classes),
        frozenset(),
        frozenset(faults),
        escalates=False,
        amounts=False,
        keys=False,
        retried=False,
    )


def test_it_applies_where_there_is_a_pivot_an_undo_and_a_silence() -> None:
    assert CHECK.applies(facts(classes={4, 5}, undos={"bank.reverse"}, faults={"timeout"}))
    assert not CHECK.applies(facts(classes={4}, undos={"bank.reverse"}, faults={"timeout"}))
    assert not CHECK.applies(facts(classes={4, 5}, undos=set(), faults={"timeout"}))
    assert not CHECK.applies(facts(classes={4, 5}, undos={"bank.reverse"}, faults={"503", "422"}))
