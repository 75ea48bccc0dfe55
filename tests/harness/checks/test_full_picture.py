"""`full-picture` finds a case from which the person who reads it learns too little."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sagaproof._checks.full_picture import FullPicture
from sagaproof._checks.protocol import State
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle

Run = Callable[..., History]
Systems = Callable[[], dict[str, Any]]
CHECK = FullPicture()
FAILURE = (ToolError, OSError)
WHOLE = ("credit", "room", "mail", "error", "undo")
UNDO_FAILS = "mail.send.1=503,bank.reverse.1=503"


def saga(world: Any, *parts: str) -> str:
    """Credits, books, mails; unwinds all it can, and tells of the rest in these parts."""
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    room = world.direct.hotel.book(guest="ann")["id"]
    try:
        world.direct.mail.send(to="ann", key="k2")
    except (ToolError, OSError) as error:
        failed = unwind(world, credit, room) if isinstance(error, ToolError) else "nothing was undone"
        if not failed:
            return "compensated"
        known = {
            "credit": f"credit {credit}",
            "room": f"room {room}",
            "mail": "letter k2",
            "error": repr(error),
            "undo": failed,
        }
        world.direct.desk.open_case(text="; ".join(known[part] for part in parts))
        return "escalated"
    return "completed"


def unwind(world: Any, credit: str, room: str) -> str:
    failed = ""
    for undo, args in (
        (world.direct.hotel.cancel, {"room": room}),
        (world.direct.bank.reverse, {"credit": credit}),
    ):
        try:
            undo(**args)
        except FAILURE as error:
            failed = f"an undo failed: {type(error).__name__}"
    return failed


def without(*left_out: str) -> Callable[[Any], str]:
    return lambda world: saga(world, *(part for part in WHOLE if part not in left_out))


def test_a_case_that_names_all_holds(run: Run) -> None:
    for plan in (
        UNDO_FAILS,
        "mail.send.1=timeout",
        "mail.send.1=lost",
        "mail.send.1=503,hotel.cancel.1=lost",
    ):
        history = run(without(), plan)
        assert history.claim == "escalated"
        assert CHECK.judge(history).state is State.HELD, plan


def test_an_effect_that_stands_is_missed(run: Run) -> None:
    verdict = CHECK.judge(run(without("credit"), UNDO_FAILS))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'escalated', but no case names bank.issue cr_1 (3)"
    assert verdict.calls == (0, 5)


def test_an_effect_that_was_taken_back_is_missed_too(run: Run) -> None:
    verdict = CHECK.judge(run(without("room"), UNDO_FAILS))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'escalated', but no case names hotel.book room_1, which was taken back"


def test_a_pivot_is_missed_in_doubt_also_where_it_did_not_happen(run: Run) -> None:
    def leaves_out_the_mail(world: Any) -> str:
        return saga(world, "credit", "room", "undo")

    verdict = CHECK.judge(run(leaves_out_the_mail, "mail.send.1=timeout"))

    assert verdict.state is State.VIOLATED
    assert (
        verdict.claim == "said 'escalated', but no case names mail.send.1, of which it is open what becomes"
    )
    assert "was told 'timeout'" in verdict.because
    assert CHECK.judge(run(leaves_out_the_mail, "mail.send.1=lost")).state is State.VIOLATED
    assert CHECK.judge(run(leaves_out_the_mail, "mail.send.1=late-end")).state is State.VIOLATED


def test_the_error_that_started_it_is_missed(run: Run) -> None:
    verdict = CHECK.judge(run(without("error", "mail"), UNDO_FAILS))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "said 'escalated', but no case says that mail.send.1 failed, with which it began"
    )


def test_what_a_failed_undo_was_for_is_missed_also_where_there_was_nothing_to_undo(run: Run) -> None:
    def by_key(world: Any, text: str) -> str:
        try:
            world.direct.bank.issue(to="ann", amount=3, key="k1")
        except FAILURE as error:
            try:
                world.direct.bank.undo_by_key("issue", "k1")
            except FAILURE:
                world.direct.desk.open_case(text=text.format(error=error))
                return "escalated"
            return "compensated"
        return "completed"

    plan = "bank.issue.1=timeout,bank.reverse.1=503"
    for text, state in (
        ("timed out, and so on", State.VIOLATED),
        ("timed out: the credit under k1 is open", State.HELD),
        ("timed out: bank.issue is open", State.HELD),
    ):
        assert CHECK.judge(run(lambda world, text=text: by_key(world, text), plan)).state is state


def test_cases_are_read_together(run: Run) -> None:
    def tells_bit_by_bit(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE as error:
            world.direct.desk.open_case(text=f"mail.send k2: {error}; {room} stands")
            world.direct.desk.open_case(text=f"and so does {credit}")
            return "escalated"
        return "completed"

    assert CHECK.judge(run(tells_bit_by_bit, "mail.send.1=timeout")).state is State.HELD


def test_what_is_released_in_the_ordinary_way_need_not_be_named(run: Run) -> None:
    def holds_a_room(world: Any) -> str:
        room = world.direct.hotel.book(guest="ann")["id"]
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        world.direct.hotel.cancel(room=room)
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE as error:
            world.direct.desk.open_case(text=f"mail.send k2: {error}; {credit} stands")
            return "escalated"
        return "completed"

    assert CHECK.judge(run(holds_a_room, "mail.send.1=timeout")).state is State.HELD


def test_a_give_up_without_an_error_needs_no_cause(run: Run) -> None:
    def gives_up(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.bank.reverse(credit=credit)
        except FAILURE:
            world.direct.desk.open_case(text=f"{credit} stands")
            return "escalated"
        return "compensated"

    assert CHECK.judge(run(gives_up, "bank.reverse.1=503")).state is State.HELD


# A second case ----------------------------------------------------------------------------------------------


def tells_twice(world: Any, *, key: str | None = None) -> str:
    """Opens its case and, if the mail stays out, once more."""
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann", key="k2")
    except FAILURE:
        for _ in range(2):
            with suppress(*FAILURE):
                world.direct.desk.open_case(text=f"mail.send k2 failed; {credit} stands", key=key)
        return "escalated"
    return "completed"


def test_a_case_that_was_acknowledged_and_opened_again_is_found(run: Run) -> None:
    verdict = CHECK.judge(run(tells_twice, "mail.send.1=timeout"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "case case_1 was opened a second time as case_2"
    assert verdict.calls == (3, 2)


def test_a_case_under_the_same_key_is_one(run: Run) -> None:
    history = run(lambda world: tells_twice(world, key="case"), "mail.send.1=timeout")

    assert CHECK.judge(history).state is State.HELD


def test_a_copy_after_a_lost_answer_is_nobodys_fault(run: Run) -> None:
    for fault in ("lost", "torn", "late", "500-applied"):
        history = run(tells_twice, f"mail.send.1=timeout,desk.open_case.1={fault}")
        assert len(history.cases) == 2
        assert CHECK.judge(history).state is State.HELD


def test_a_copy_after_a_crash_is_nobodys_fault(systems: Systems) -> None:
    kept: list[str] = []

    def tell(world: Any) -> str:
        world.direct.desk.open_case(text=kept[0])
        note = world.durable(kept.append)
        note("told")
        return "escalated"

    def body(world: Any) -> str:
        kept.clear()
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE as error:
            kept.append(f"mail.send k2: {error!r}; {credit} stands")
            return tell(world)
        return "completed"

    def recover(world: Any) -> str:
        return tell(world) if len(kept) == 1 else "escalated"

    with Runner(WorldHandle(systems()), CallableDriver(body, recover)) as runner:
        history = runner.run(OPAQUE, Plan.parse("mail.send.1=timeout,journal.append.1=crash-before"))

    assert len(history.cases) == 2
    assert CHECK.judge(history).state is State.HELD


@pytest.mark.parametrize("said", ["completed", "compensated", "raised"])
def test_who_claims_something_else_does_not_reach_it(run: Run, said: str) -> None:
    def saga_that_says(world: Any) -> str:
        with suppress(*FAILURE):
            world.direct.mail.send(to="ann", key="k2")
        world.direct.desk.open_case(text="for your information")
        return said

    assert CHECK.judge(run(saga_that_says, "mail.send.1=503")).state is State.NOT_REACHED
