"""`user-assertion` reports an assertion of the test body."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sagaproof._checks.protocol import State, Verdict

Judged = Callable[..., dict[str, Verdict]]
SLUG = "user-assertion"


def asserts(world: Any) -> None:
    with suppress(TimeoutError):
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    assert len(world.bank.credits) == 1, "ann has no credit"


def asserts_inside(world: Any) -> None:
    asserts(world)


def test_a_failed_assertion_of_the_body_is_found(judged: Judged) -> None:
    verdict = judged(asserts, "bank.issue.1=timeout")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim.startswith("an assertion of the test failed: ann has no credit")
    assert verdict.because.startswith("the test body asserts it at test_user_assertion.py:")


def test_the_saga_has_then_claimed_nothing(judged: Judged) -> None:
    def asserts_a_residue(world: Any) -> None:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
        assert not world.bank.credits, "no credit was wanted"

    verdicts = judged(asserts_a_residue)

    assert {slug for slug, v in verdicts.items() if v.state is State.VIOLATED} == {SLUG}


def test_an_assertion_that_held_is_not_seen(judged: Judged) -> None:
    assert judged(asserts)[SLUG].state is State.NOT_REACHED
    assert judged(asserts, "bank.issue.1=lost")[SLUG].state is State.NOT_REACHED


def test_an_assertion_inside_the_saga_is_an_error_of_the_saga(judged: Judged) -> None:
    assert judged(asserts_inside, "bank.issue.1=timeout")[SLUG].state is State.NOT_REACHED
