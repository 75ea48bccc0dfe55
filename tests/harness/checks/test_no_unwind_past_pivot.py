"""`no-unwind-past-pivot` finds who takes back what a letter has already promised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "no-unwind-past-pivot"


def unwinds_whatever_happened(world: Any) -> str | None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann", key="k2")
        world.direct.hotel.book(guest="ann")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit)
        return "compensated"
    return None


def asks_first(world: Any) -> str | None:
    """Fences the letter by its key; if it is on its way, a person takes over."""
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann", key="k2")
    except (ToolError, OSError) as error:
        try:
            world.direct.mail.undo_by_key("send", "k2")
        except (ToolError, OSError):
            world.direct.desk.open_case(text=f"{error}: mail.send k2 is out, {credit} stands")
            return "escalated"
        world.direct.bank.reverse(credit=credit)
        return "compensated"
    return None


def test_an_unwind_after_the_pivot_is_found(judged: Judged) -> None:
    verdict = judged(unwinds_whatever_happened, "hotel.book.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "bank.issue cr_1 (3) was to be taken back after mail.send letter_1, which cannot be"
    )
    assert verdict.calls == (3, 1)


def test_an_unwind_after_a_pivot_whose_answer_was_lost_is_found(judged: Judged) -> None:
    verdict = judged(unwinds_whatever_happened, "mail.send.1=lost")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.because.endswith("was applied, of which its caller did not learn")


def test_to_ask_after_the_pivot_itself_and_to_escalate_holds(judged: Judged) -> None:
    assert judged(asks_first, "mail.send.1=lost")[SLUG].state is State.HELD


def test_an_unwind_behind_a_fence_does_not_reach_it(judged: Judged) -> None:
    for fault in ("timeout", "late-undo", "late-end", "503"):
        verdicts = judged(asks_first, f"mail.send.1={fault}")
        assert verdicts[SLUG].state is State.NOT_REACHED
        assert verdicts["late-effect-fenced"].state is not State.VIOLATED


def test_a_pivot_after_which_nothing_went_wrong_does_not_reach_it(judged: Judged) -> None:
    assert judged(asks_first)[SLUG].state is State.NOT_REACHED
