"""`applied-once` finds what was meant once and done twice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sagaproof._checks.protocol import State, Verdict

Judged = Callable[..., dict[str, Verdict]]
SLUG = "applied-once"


def issues(*keys: str | None) -> Callable[[Any], None]:
    """A saga that tries to issue one credit, with these keys in turn."""

    def saga(world: Any) -> None:
        for key in keys:
            with suppress(Exception):
                world.direct.bank.issue(to="ann", amount=3, key=key)
                return
        raise RuntimeError("given up")

    return saga


def repeats_itself(world: Any) -> None:
    """An agent that takes a later failure for a reason to begin again, with new keys."""
    for attempt in (1, 2):
        with suppress(Exception):
            world.direct.bank.issue(to="ann", amount=3, key=f"k{attempt}")
            world.direct.mail.send(to="ann")
            return


@pytest.mark.parametrize("keys", [(None, None), ("k1", "k2"), ("k1", None)])
def test_a_retry_without_its_key_is_found(judged: Judged, keys: tuple[str | None, ...]) -> None:
    verdict = judged(issues(*keys), "bank.issue.1=lost")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "bank.issue cr_1 (3) was applied twice, also as cr_2"
    assert "was told 'timeout' and made again with" in verdict.because
    assert verdict.calls == (0,)


def test_a_late_first_attempt_is_found_after_a_retry_with_another_key(judged: Judged) -> None:
    assert judged(issues("k1", "k2"), "bank.issue.1=late-end")[SLUG].state is State.VIOLATED


def test_a_duplicate_that_a_key_would_have_prevented_is_found(judged: Judged) -> None:
    assert "without an idempotency key" in judged(issues(None), "bank.issue.1=duplicate")[SLUG].because
    assert judged(issues("k1"), "bank.issue.1=duplicate")[SLUG].state is State.HELD


def test_a_second_call_of_the_same_meaning_is_found(judged: Judged) -> None:
    verdict = judged(repeats_itself, "mail.send.1=503")[SLUG]

    assert verdict.claim == "bank.issue cr_1 (3) was applied twice, also as cr_2"
    assert verdict.calls == (2, 0)


def test_an_irreversible_effect_done_twice_is_found(judged: Judged) -> None:
    def saga(world: Any) -> None:
        with suppress(TimeoutError):
            world.direct.mail.send(to="ann")
            return
        world.direct.mail.send(to="ann")

    assert (
        judged(saga, "mail.send.1=lost")[SLUG].claim
        == "mail.send letter_1 was applied twice, also as letter_2"
    )


def test_a_retry_with_its_key_holds(judged: Judged) -> None:
    for fault in ("lost", "503", "late", "late-end", "torn", "duplicate"):
        assert judged(issues("k1", "k1"), f"bank.issue.1={fault}")[SLUG].state is State.HELD


def test_two_effects_that_the_fault_free_run_has_too_hold(judged: Judged) -> None:
    def saga(world: Any) -> None:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
        world.direct.bank.issue(to="ann", amount=3, key="k2")

    assert judged(saga, "bank.issue.1=duplicate")[SLUG].state is State.HELD


def test_setting_the_same_value_again_is_no_second_effect(judged: Judged) -> None:
    def saga(world: Any) -> None:
        world.crm.add_ticket("t1")
        for _ in range(2):
            with suppress(TimeoutError):
                world.direct.crm.set_status(ticket="t1", status="solved")
                return

    assert judged(saga, "crm.set_status.1=lost")[SLUG].state is State.HELD


def test_a_run_in_which_nothing_could_be_doubled_is_not_reached(judged: Judged) -> None:
    assert judged(issues("k1"))[SLUG].state is State.NOT_REACHED
    assert judged(issues("k1"), "bank.issue.1=503")[SLUG].state is State.NOT_REACHED


def mails_twice(claim: str) -> Callable[[Any], str]:
    """Two triggers, of which the second does not know of the first; nothing fails."""

    def saga(world: Any) -> str:
        for _trigger in (1, 2):
            world.direct.mail.send(to="ann")
        return claim

    return saga


def test_what_nobody_admits_to_have_done_and_was_done_twice_is_found_without_a_fault(judged: Judged) -> None:
    for claim in ("refused", "compensated"):
        verdict = judged(mails_twice(claim))[SLUG]
        assert verdict.claim == "mail.send letter_1 was applied twice, also as letter_2"
        assert verdict.calls == (1, 0)


def test_who_completes_or_tells_a_person_may_mean_the_same_twice(judged: Judged) -> None:
    for claim in ("completed", "escalated"):
        assert judged(mails_twice(claim))[SLUG].state is not State.VIOLATED
