"""`rest-is-rest` finds what comes about after the saga has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict

Judged = Callable[..., dict[str, Verdict]]
SLUG = "rest-is-rest"


def takes_a_timeout_for_a_no(world: Any) -> str | None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except TimeoutError:
        return "refused"
    return None


def fences(world: Any) -> str | None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except TimeoutError:
        world.direct.bank.undo_by_key("issue", "k1")
        return "compensated"
    return None


def tells(world: Any) -> str | None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except TimeoutError:
        world.direct.desk.open_case(text="bank.issue under key k1: unknown")
        return "escalated"
    return None


def retries(world: Any) -> None:
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except TimeoutError:
        world.direct.bank.issue(to="ann", amount=3, key="k1")


def test_an_effect_after_the_end_is_found(judged: Judged) -> None:
    verdict = judged(takes_a_timeout_for_a_no, "bank.issue.1=late-end")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'refused', and after that bank.issue cr_1 (3) came about"
    assert verdict.calls == (0,)


def test_what_is_fenced_absorbed_or_tracked_holds(judged: Judged) -> None:
    for saga in (fences, tells, retries):
        assert judged(saga, "bank.issue.1=late-end")[SLUG].state is State.HELD


def test_what_lands_before_the_end_is_not_its_business(judged: Judged) -> None:
    assert judged(takes_a_timeout_for_a_no, "bank.issue.1=lost")[SLUG].state is State.NOT_REACHED
