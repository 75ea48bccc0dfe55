"""`forward-after-pivot` finds what is dropped once the letter is out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sagaproof._checks.forward_after_pivot import ForwardAfterPivot
from sagaproof._checks.protocol import State
from sagaproof._model.history import History
from sagaproof._taps.direct import ToolError

Run = Callable[..., History]
CHECK = ForwardAfterPivot()
FAILURE = (ToolError, OSError)


def saga(world: Any, end: Callable[[Any, Exception], str], *, attempts: int = 1) -> str:
    """Mails, then credits under a key."""
    world.direct.mail.send(to="ann", key="k1")
    for left in range(attempts - 1, -1, -1):
        try:
            world.direct.bank.issue(to="ann", amount=3, key="k2")
        except FAILURE as error:
            if not left:
                return end(world, error)
        else:
            break
    return "completed"


def tells(world: Any, error: Exception) -> str:
    world.direct.desk.open_case(text=f"mail.send k1 is out, bank.issue k2 failed: {error}")
    return "escalated"


def swallows(_world: Any, _error: Exception) -> str:
    return "completed"


def raises(_world: Any, error: Exception) -> str:
    raise error


@pytest.mark.parametrize("end", [swallows, raises])
@pytest.mark.parametrize("attempts", [1, 3])
def test_who_gives_up_without_telling_a_person_is_found(
    run: Run, end: Callable[..., str], attempts: int
) -> None:
    verdict = CHECK.judge(run(lambda world: saga(world, end, attempts=attempts), "bank.issue.1=503/all"))

    assert verdict.state is State.VIOLATED
    assert "bank.issue.1 failed after mail.send letter_1 and no person was told" in verdict.claim
    assert f"was told '503' in the last of its attempts ({attempts})" in verdict.because
    assert verdict.calls == (1, 0)


def test_who_calls_for_a_person_at_the_first_hiccup_is_found(run: Run) -> None:
    for fault in ("503", "timeout", "refused"):
        verdict = CHECK.judge(run(lambda world: saga(world, tells), f"bank.issue.1={fault}"))
        assert verdict.state is State.VIOLATED
        assert verdict.claim == "bank.issue.1 failed after mail.send letter_1 and was not tried again"


def test_a_case_from_before_the_failure_tells_nobody_of_it(run: Run) -> None:
    def tells_first(world: Any) -> str:
        world.direct.desk.open_case(text="about to credit")
        return saga(world, swallows, attempts=3)

    assert CHECK.judge(run(tells_first, "bank.issue.1=503/all")).state is State.VIOLATED


def test_who_tries_again_and_succeeds_or_tells_a_person_holds(run: Run) -> None:
    for fault in ("503", "503/all", "timeout", "timeout/all", "lost", "late", "refused/all"):
        history = run(lambda world: saga(world, tells, attempts=3), f"bank.issue.1={fault}")
        assert CHECK.judge(history).state is State.HELD


def test_what_was_refused_for_good_need_not_be_tried_again(run: Run) -> None:
    assert CHECK.judge(run(lambda world: saga(world, tells), "bank.issue.1=422")).state is State.HELD
    assert CHECK.judge(run(lambda world: saga(world, swallows), "bank.issue.1=422")).state is State.VIOLATED


def test_what_another_attempt_might_do_twice_need_not_be_tried_again(run: Run) -> None:
    def books(world: Any) -> str:
        world.direct.mail.send(to="ann", key="k1")
        try:
            world.direct.hotel.book(guest="ann")
        except FAILURE as error:
            return tells(world, error)
        return "completed"

    for fault in ("timeout", "lost", "503"):
        assert CHECK.judge(run(books, f"hotel.book.1={fault}")).state is State.HELD


def test_another_call_of_the_same_operation_is_another_way(run: Run) -> None:
    def credits_less(world: Any, _error: Exception) -> str:
        world.direct.bank.issue(to="ann", amount=2, key="k3")
        return "completed"

    assert CHECK.judge(run(lambda world: saga(world, credits_less), "bank.issue.1=422")).state is State.HELD


def test_what_is_not_missed_need_not_be_told(run: Run) -> None:
    def sets_priority(world: Any, priority: str) -> str:
        world.crm.add_ticket("t1")
        world.direct.mail.send(to="ann", key="k1")
        with suppress(*FAILURE):
            world.direct.crm.set_priority(ticket="t1", priority=priority)
        return "completed"

    for priority, state in (("low", State.HELD), ("high", State.VIOLATED)):  # low is what it was
        history = run(lambda world, to=priority: sets_priority(world, to), "crm.set_priority.1=503")
        assert CHECK.judge(history).state is state


def test_a_failure_before_the_pivot_or_of_it_does_not_reach_it(run: Run) -> None:
    def mails_last(world: Any) -> str:
        for _ in range(2):
            with suppress(*FAILURE):
                world.direct.bank.issue(to="ann", amount=3, key="k2")
        with suppress(*FAILURE):
            world.direct.mail.send(to="ann", key="k1")
        return "completed"

    for plan in ("bank.issue.1=503", "mail.send.1=lost", "mail.send.1=503", ""):
        assert CHECK.judge(run(mails_last, plan)).state is State.NOT_REACHED


def test_a_read_or_a_call_for_help_that_fails_is_no_write(run: Run) -> None:
    def looks(world: Any) -> str:
        world.direct.mail.send(to="ann", key="k1")
        with suppress(*FAILURE):
            world.direct.crm.get_ticket(ticket="t1")
        with suppress(*FAILURE):
            world.direct.desk.open_case(text="a letter is out")
        return "completed"

    assert CHECK.judge(run(looks, "crm.get_ticket.1=503,desk.open_case.1=503")).state is State.NOT_REACHED


def test_putting_back_what_was_never_written_is_not_going_forward(run: Run) -> None:
    def unwinds(world: Any) -> str:
        world.crm.add_ticket("t1")
        world.direct.crm.set_status(ticket="t1", status="solved")
        world.direct.mail.send(to="ann", key="k1")
        with suppress(*FAILURE):
            world.direct.crm.set_status(ticket="t1", status="open")
        return "compensated"

    history = run(unwinds, "crm.set_status.1=soft-error,crm.set_status.2=503")

    assert CHECK.judge(history).state is State.NOT_REACHED
