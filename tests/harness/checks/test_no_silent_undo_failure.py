"""`no-silent-undo-failure` finds the worst: an undo that failed and nobody knows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "no-silent-undo-failure"
BOTH = "mail.send.1=503,bank.reverse.1=503/all"


def saga(world: Any, on_failure: Callable[[Any, str, Exception], str | None]) -> str | None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        try:
            world.direct.bank.reverse(credit=credit)
        except (ToolError, OSError) as error:
            return on_failure(world, credit, error)
        return "compensated"
    return None


def swallows(_world: Any, _credit: str, _error: Exception) -> str:
    return "compensated"


def raises_it(_world: Any, _credit: str, error: Exception) -> None:
    raise error


def raises_its_own(_world: Any, credit: str, _error: Exception) -> None:
    raise RuntimeError(f"could not take {credit} back") from None


def raises_nothing_of_it(_world: Any, _credit: str, _error: Exception) -> None:
    raise RuntimeError("something went wrong") from None


def tells(world: Any, credit: str, error: Exception) -> str:
    world.direct.desk.open_case(text=f"mail.send failed, then {credit}: {error}")
    return "escalated"


def tells_of_something_else(world: Any, _credit: str, _error: Exception) -> str:
    world.direct.desk.open_case(text="mail.send failed")
    return "escalated"


def test_a_swallowed_failure_is_found(judged: Judged) -> None:
    verdict = judged(lambda world: saga(world, swallows), BOTH)[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'compensated', but bank.issue cr_1 (3) still stands and nobody was told"
    assert verdict.because.startswith(
        "the error of bank.reverse.1 (asked for at test_no_silent_undo_failure.py:"
    )
    assert verdict.because.endswith("reached neither the caller nor the desk")
    assert verdict.calls == (2, 0)


def test_an_account_that_leaves_it_out_is_found(judged: Judged) -> None:
    for on_failure in (raises_nothing_of_it, tells_of_something_else):
        verdict = judged(lambda world, fn=on_failure: saga(world, fn), BOTH)[SLUG]
        assert verdict.state is State.VIOLATED


def test_an_error_inside_a_success_is_found(judged: Judged) -> None:
    verdict = judged(lambda world: saga(world, swallows), "mail.send.1=503,bank.reverse.1=soft-error")[SLUG]

    assert verdict.state is State.VIOLATED


def test_who_raises_or_tells_holds(judged: Judged) -> None:
    for on_failure in (raises_it, raises_its_own, tells):
        verdict = judged(lambda world, fn=on_failure: saga(world, fn), BOTH)[SLUG]
        assert verdict.state is State.HELD


def test_an_undo_that_took_effect_all_the_same_is_no_failure(judged: Judged) -> None:
    verdicts = judged(lambda world: saga(world, swallows), "mail.send.1=503,bank.reverse.1=lost")

    assert verdicts[SLUG].state is State.NOT_REACHED


def test_an_undo_that_works_does_not_reach_it(judged: Judged) -> None:
    assert judged(lambda world: saga(world, swallows), "mail.send.1=503")[SLUG].state is State.NOT_REACHED


def test_a_mail_that_could_not_be_cancelled_and_was_wanted_is_no_failure(judged: Judged) -> None:
    def asks_whether_it_went_out(world: Any) -> None:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
        try:
            world.direct.mail.send(to="ann", key="k2")
        except TimeoutError:
            with contextlib.suppress(ToolError):  # 409: it has gone out, which is all that was to be known
                world.direct.mail.undo_by_key("send", "k2")

    verdicts = judged(asks_whether_it_went_out, "mail.send.1=lost")

    assert verdicts[SLUG].state is State.NOT_REACHED
    assert verdicts["completed-is-complete"].state is State.HELD
