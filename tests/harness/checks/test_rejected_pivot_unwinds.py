"""`rejected-pivot-unwinds` finds who treats a refusal as if the irreversible had happened."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.protocol import State
from sagaproof._checks.rejected_pivot_unwinds import RejectedPivotUnwinds
from sagaproof._model.history import History
from sagaproof._taps.direct import ToolError

Run = Callable[..., History]
CHECK = RejectedPivotUnwinds()
FAILURE = (ToolError, OSError)


def saga(world: Any, end: Callable[[Any, str, Exception], str]) -> str:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann", key="k2")
    except FAILURE as error:
        return end(world, credit, error)
    return "completed"


def tell(world: Any, text: str) -> str:
    world.direct.desk.open_case(text=text)
    return "escalated"


def escalates(world: Any, credit: str, error: Exception) -> str:
    return tell(world, f"mail.send k2: {error}; {credit} stands")


def unwinds(world: Any, credit: str, error: Exception) -> str:
    try:
        world.direct.bank.reverse(credit=credit)
    except FAILURE as second:
        return tell(world, f"mail.send: {error}; {second}; {credit} stands")
    return "compensated"


def unwinds_and_escalates(world: Any, credit: str, error: Exception) -> str:
    world.direct.bank.reverse(credit=credit)
    return tell(world, f"mail.send: {error}; {credit} was reversed")


def raises(_world: Any, _credit: str, error: Exception) -> str:
    raise error


def unwinds_and_raises(world: Any, credit: str, error: Exception) -> str:
    world.direct.bank.reverse(credit=credit)
    raise error


def writes_elsewhere(world: Any, credit: str, error: Exception) -> str:
    try:
        world.direct.mail.send(to="bob", key="k3")
    except FAILURE:
        return unwinds(world, credit, error)
    return "completed"


@pytest.mark.parametrize("end", [escalates, raises])
def test_who_leaves_all_as_it_is_is_found(run: Run, end: Callable[..., str]) -> None:
    for fault in ("422", "403", "404"):
        verdict = CHECK.judge(run(lambda world: saga(world, end), f"mail.send.1={fault}"))
        assert verdict.state is State.VIOLATED
        assert verdict.claim.endswith("but nothing tried to take bank.issue cr_1 (3) back")
        assert f"was refused with {fault}" in verdict.because
        assert verdict.calls == (1, 0)


def test_who_unwinds_and_calls_for_help_all_the_same_is_found(run: Run) -> None:
    verdict = CHECK.judge(run(lambda world: saga(world, unwinds_and_escalates), "mail.send.1=422"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'escalated', but nothing was left for a person to settle"


@pytest.mark.parametrize("end", [unwinds, unwinds_and_raises, writes_elsewhere])
def test_who_unwinds_or_finds_another_way_holds(run: Run, end: Callable[..., str]) -> None:
    history = run(lambda world: saga(world, end), "mail.send.1=422")

    assert CHECK.judge(history).state is (State.NOT_REACHED if end is writes_elsewhere else State.HELD)


def test_who_cannot_unwind_may_escalate(run: Run) -> None:
    for fault in ("503", "timeout", "422"):
        plan = f"mail.send.1=422,bank.reverse.1={fault}"
        assert CHECK.judge(run(lambda world: saga(world, unwinds), plan)).state is State.HELD


def test_with_nothing_to_undo_to_say_refused_holds_and_to_escalate_does_not(run: Run) -> None:
    def only_mails(world: Any, said: str) -> str:
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE as error:
            return tell(world, f"mail.send k2: {error}") if said == "escalated" else said
        return "completed"

    for said, state in (("refused", State.HELD), ("compensated", State.HELD), ("escalated", State.VIOLATED)):
        history = run(lambda world, said=said: only_mails(world, said), "mail.send.1=422")
        assert CHECK.judge(history).state is state


def test_what_cannot_be_taken_back_is_a_reason_to_escalate(run: Run) -> None:
    def uses_a_tool(world: Any) -> str:
        stamp = world.tool(lambda: "s1", cls=3, name="stamp", ref="stamp")
        ref = stamp()
        return saga(world, lambda w, credit, error: tell(w, f"{error}: {ref} and {credit} stand"))

    assert CHECK.judge(run(uses_a_tool, "mail.send.1=422")).state is State.HELD


def test_another_call_in_doubt_is_a_reason_to_escalate(run: Run) -> None:
    def books_on_trust(world: Any) -> str:
        try:
            world.direct.hotel.book(guest="ann")
        except TimeoutError:
            return saga(world, lambda w, credit, error: tell(w, f"{error}: hotel.book open, {credit} stands"))
        return "completed"

    assert CHECK.judge(run(books_on_trust, "hotel.book.1=timeout,mail.send.1=422")).state is State.HELD


def test_past_another_pivot_it_is_not_reached(run: Run) -> None:
    def mails_twice(world: Any) -> str:
        letter = world.direct.mail.send(to="bob", key="k0")["id"]
        return saga(world, lambda w, credit, error: tell(w, f"{error}: {letter} is out, {credit} stands"))

    assert CHECK.judge(run(mails_twice, "mail.send.2=422")).state is State.NOT_REACHED


def test_what_is_not_refused_for_good_does_not_reach_it(run: Run) -> None:
    for fault in ("503", "timeout", "lost", "429", "409", "refused"):
        history = run(lambda world: saga(world, escalates), f"mail.send.1={fault}")
        assert CHECK.judge(history).state is State.NOT_REACHED


def test_a_refusal_after_a_timeout_does_not_reach_it(run: Run) -> None:
    def tries_twice(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.mail.send(to="ann", key="k2")
        except TimeoutError:
            try:
                world.direct.mail.send(to="ann", key="k2")
            except FAILURE as error:
                return escalates(world, credit, error)
        return "completed"

    history = run(tries_twice, "mail.send.1=timeout,mail.send.1:2=422")

    assert CHECK.judge(history).state is State.NOT_REACHED


@pytest.mark.parametrize(("hours", "text", "state"), [
    (25, "mail.send k2: {}; {} stands", State.HELD),
    (25, "mail.send k2: {}", State.VIOLATED),
    (23, "mail.send k2: {}; {} stands", State.VIOLATED),
])  # fmt: skip
def test_what_is_older_than_its_key_may_be_left_to_a_person_who_is_told(
    run: Run, hours: int, text: str, state: State
) -> None:
    def waits(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        time.sleep(hours * 3600)
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE as error:
            return tell(world, text.format(error, credit))
        return "completed"

    assert CHECK.judge(run(waits, "mail.send.1=422")).state is state
