"""`user-invariant` reports what the user said must hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict

Judged = Callable[..., dict[str, Verdict]]
SLUG = "user-invariant"


def no_credit_without_a_letter(world: Any) -> str:
    return "a credit and no letter" if world.bank.credits.rows and not world.mail.sent.rows else ""


def saga(world: Any) -> None:
    world.direct.bank.issue(to="ann", amount=3, key="k1")
    world.direct.mail.send(to="ann")


def test_a_broken_invariant_is_found_by_its_name(judged: Judged) -> None:
    verdict = judged(saga, "mail.send.1=503", invariants=[no_credit_without_a_letter])[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "raised ToolError, but no_credit_without_a_letter does not hold: a credit and no letter"
    )


def test_one_that_holds_is_held(judged: Judged) -> None:
    assert judged(saga, invariants=[no_credit_without_a_letter])[SLUG].state is State.HELD


def test_without_invariants_it_is_not_reached(judged: Judged) -> None:
    assert judged(saga, "mail.send.1=503")[SLUG].state is State.NOT_REACHED
