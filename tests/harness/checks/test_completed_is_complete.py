"""`completed-is-complete` finds a saga that says 'completed' of half of its work."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "completed-is-complete"


def shrugs(world: Any) -> None:
    world.crm.add_ticket("t1")
    world.direct.bank.issue(to="ann", amount=3, key="k1")
    with suppress(Exception):
        world.direct.crm.set_status(ticket="t1", status="solved")


def retries(world: Any) -> None:
    world.crm.add_ticket("t1")
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
    for _ in range(2):
        with suppress(Exception):
            world.direct.crm.set_status(ticket="t1", status="solved", key="k2")
            return
    world.direct.bank.reverse(credit=credit["id"])
    raise RuntimeError("given up")


def unwinds_and_returns(world: Any) -> None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit["id"])


def cleans_up_an_unknown_and_does_it_again(world: Any) -> None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except TimeoutError:
        world.direct.bank.undo_by_key("issue", "k1")
        world.direct.bank.issue(to="ann", amount=3, key="k2")


def refunds_in_part(world: Any) -> None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit["id"], amount=1)
        world.direct.mail.send(to="ann")


def releases_after_use(world: Any) -> None:
    room = world.direct.hotel.book(guest="ann")
    world.direct.bank.issue(to="ann", amount=3, key="k1")
    world.direct.hotel.cancel(room=room["id"])


def is_always_refused(world: Any) -> None:
    credit = world.direct.bank.issue(to="ann", amount=3)
    try:
        world.direct.bank.reverse(credit="cr_9")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit["id"])


def test_a_missing_effect_is_found_and_named(judged: Judged) -> None:
    verdict = judged(shrugs, "crm.set_status.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'completed', but crm.set_status t1 never happened"
    assert verdict.because.startswith("crm.set_status.1 (asked for at test_completed_is_complete.py:")
    assert verdict.because.endswith("ended with 503 and nothing applied it")
    assert verdict.calls == (1,)


def test_an_effect_with_another_amount_is_named_as_what_stands_in_its_place(judged: Judged) -> None:
    verdict = judged(shrugs, "bank.issue.1=rounded")[SLUG]

    assert verdict.claim == "said 'completed', but bank.issue (3) never happened"
    assert verdict.because.startswith("bank.issue.1 (asked for at test_completed_is_complete.py:")
    assert verdict.because.endswith("did bank.issue cr_1 (2) in its place")
    assert verdict.calls == (0,)


def test_an_effect_that_was_taken_back_is_found(judged: Judged) -> None:
    verdict = judged(unwinds_and_returns, "mail.send.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'completed', but bank.issue cr_1 (3) was taken back"
    assert verdict.calls == (0, 2)


def test_an_effect_that_was_taken_back_in_part_is_found(judged: Judged) -> None:
    verdict = judged(refunds_in_part, "mail.send.1=503")[SLUG]

    assert verdict.claim == "said 'completed', but bank.issue cr_1 (3) was taken back in part"


def test_a_fault_free_run_that_unwinds_after_a_refusal_is_found(judged: Judged) -> None:
    assert judged(is_always_refused)[SLUG].state is State.VIOLATED


def test_a_fault_that_was_masked_by_a_retry_holds(judged: Judged) -> None:
    for fault in ("503", "lost", "torn", "late"):
        assert judged(retries, f"crm.set_status.1={fault}")[SLUG].state is State.HELD


def test_an_unknown_effect_cleaned_up_and_done_again_holds(judged: Judged) -> None:
    for fault in ("lost", "late-end", "timeout"):
        assert (
            judged(cleans_up_an_unknown_and_does_it_again, f"bank.issue.1={fault}")[SLUG].state is State.HELD
        )


def test_a_hold_released_after_use_is_no_unwind(judged: Judged) -> None:
    assert judged(releases_after_use)[SLUG].state is State.HELD
    assert judged(releases_after_use, "bank.issue.1=duplicate")[SLUG].state is State.HELD


def test_another_claim_is_not_judged(judged: Judged) -> None:
    assert judged(retries, "crm.set_status.1=503/all")[SLUG].state is State.NOT_REACHED
