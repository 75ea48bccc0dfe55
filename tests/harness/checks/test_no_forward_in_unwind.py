"""`no-forward-in-unwind` finds a saga that turns round again on its way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.no_forward_in_unwind import NoForwardInUnwind
from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "no-forward-in-unwind"
FAILURE = (ToolError, OSError)
MAIL_FAILS = "mail.send.1=422"


def saga(after_the_undo: Callable[[Any], str]) -> Callable[[Any], str]:
    """Issues a credit, mails; if that fails, it takes the credit back, and then does as given."""

    def run(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            world.direct.bank.reverse(credit=credit)
            return after_the_undo(world)
        return "completed"

    return run


def goes_on(world: Any) -> str:
    """As if nothing had been taken back."""
    world.direct.mail.send(to="ann")
    return "completed"


def goes_on_and_gives_up(world: Any) -> str:
    world.direct.hotel.book(guest="ann")
    return "compensated"


def another_plan(world: Any) -> str:
    """Right: all that it took back is done anew."""
    world.direct.bank.issue(to="ann", amount=3, key="k2")
    world.direct.mail.send(to="ann")
    return "completed"


def tries_another_plan(world: Any) -> str:
    """Right: the other plan comes to nothing either, and is taken back as well."""
    room = world.direct.hotel.book(guest="ann")["id"]
    world.direct.hotel.cancel(room=room)
    return "compensated"


def tells(world: Any) -> str:
    """Right: a person is told of what was done since."""
    room = world.direct.hotel.book(guest="ann")["id"]
    world.direct.desk.open_case(text=f"mail.send: 422; booked {room} meanwhile")
    return "escalated"


def sets_a_priority(world: Any) -> str:
    """Right: a convergent write is nothing that would have to be taken back."""
    world.crm.add_ticket("t1")
    world.direct.crm.set_priority(ticket="t1", priority="high")
    return "compensated"


def test_a_saga_that_goes_on_after_its_unwind_is_found(judged: Judged) -> None:
    verdict = judged(saga(goes_on), MAIL_FAILS)[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "said 'completed', but mail.send letter_1 was done after the unwind had begun, and stands"
    )
    assert verdict.because.startswith("mail.send.1 (asked for at test_no_forward_in_unwind.py:")
    assert ") was called after bank.reverse.1 (asked for at " in verdict.because
    assert verdict.calls == (1, 2)


def test_what_it_does_meanwhile_and_leaves_is_found(judged: Judged) -> None:
    verdict = judged(saga(goes_on_and_gives_up), MAIL_FAILS)[SLUG]

    assert verdict.claim.startswith("said 'compensated', but hotel.book room_1 was done after the unwind")


def test_another_plan_that_completes_is_taken_back_or_told_holds(judged: Judged) -> None:
    for right in (another_plan, tries_another_plan, tells):
        assert judged(saga(right), MAIL_FAILS)[SLUG].state is State.HELD


def test_an_unwind_that_is_no_more_than_that_is_not_reached(judged: Judged) -> None:
    for right in (sets_a_priority, lambda _: "compensated"):
        assert judged(saga(right), MAIL_FAILS)[SLUG].state is State.NOT_REACHED
    assert judged(saga(goes_on))[SLUG].state is State.NOT_REACHED


def test_to_clear_an_unknown_away_and_do_it_anew_is_no_unwind(judged: Judged) -> None:
    def clears(world: Any) -> None:
        try:
            world.direct.bank.issue(to="ann", amount=3, key="k1")
        except TimeoutError:
            world.direct.bank.undo_by_key("issue", "k1")
            world.direct.bank.issue(to="ann", amount=3, key="k2")
        world.direct.mail.send(to="ann")
        raise RuntimeError("after all")

    assert judged(clears, "bank.issue.1=lost")[SLUG].state is State.NOT_REACHED


def test_a_recovery_that_goes_forward_after_an_undo_is_found(
    restarted: Callable[..., Any], store: Any
) -> None:
    """The phase is written down too late: the new process believes that nothing was taken back."""

    def body(world: Any) -> str:
        write = store.fresh(world)
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        write("issued")
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE:
            world.direct.bank.reverse(credit=credit)
            write("aborting")
            return "compensated"
        return "completed"

    def recover(world: Any) -> str:
        if "aborting" not in store.lines:
            world.direct.mail.send(to="ann", key="k2")
        return "completed" if "aborting" not in store.lines else "compensated"

    history = restarted(body, recover, "mail.send.1=503,bank.reverse.1=crash-after")
    assert NoForwardInUnwind().judge(history).state is State.VIOLATED
