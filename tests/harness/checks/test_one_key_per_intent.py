"""`one-key-per-intent` finds keys that change, or are shared."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "one-key-per-intent"


def attempts(*keys: str | None, amounts: tuple[int, ...] = (3, 3, 3)) -> Callable[[Any], None]:
    def saga(world: Any) -> None:
        for key, amount in zip(keys, amounts, strict=False):
            try:
                world.direct.bank.issue(to="ann", amount=amount, key=key)
            except (ToolError, OSError):
                continue
            return
        raise RuntimeError("given up")

    return saga


def one_key_for_two_calls(world: Any) -> None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
    try:
        world.direct.mail.send(to="ann", key="k1")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit["id"], key="k1")


def test_a_key_that_changes_is_found(judged: Judged) -> None:
    verdict = judged(attempts("k1", "k2"), "bank.issue.1=timeout")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "bank.issue.1 was made again with key 'k2' instead of key 'k1'"
    assert "was told 'timeout' and may have taken effect" in verdict.because


def test_a_key_that_is_left_out_is_found(judged: Judged) -> None:
    verdict = judged(attempts("k1", None), "bank.issue.1=503")[SLUG]

    assert verdict.claim == "bank.issue.1 was made again with no key instead of key 'k1'"


def test_other_parameters_under_one_key_are_found(judged: Judged) -> None:
    verdict = judged(attempts("k1", "k1", amounts=(3, 4)), "bank.issue.1=timeout")[SLUG]

    assert verdict.claim == "key 'k1' was used again for bank.issue.1 with other parameters"


def test_a_key_shared_by_two_calls_of_one_system_is_found(judged: Judged) -> None:
    verdict = judged(one_key_for_two_calls, "mail.send.1=503")[SLUG]

    assert verdict.claim == "key 'k1' was used for two different calls, bank.issue.1 and bank.reverse.1"
    assert verdict.calls == (2, 0)


def test_one_key_for_all_attempts_holds(judged: Judged) -> None:
    assert judged(attempts("k1", "k1", "k1"), "bank.issue.1=503/2")[SLUG].state is State.HELD


def test_a_new_key_after_a_definite_refusal_holds(judged: Judged) -> None:
    for fault in ("422", "refused"):
        assert judged(attempts("k1", "k2"), f"bank.issue.1={fault}")[SLUG].state is State.HELD


def test_without_a_key_or_a_second_attempt_it_is_not_reached(judged: Judged) -> None:
    assert judged(attempts(None, None), "bank.issue.1=503")[SLUG].state is State.NOT_REACHED
    assert judged(attempts("k1"))[SLUG].state is State.NOT_REACHED
    assert judged(one_key_for_two_calls)[SLUG].state is State.NOT_REACHED


def test_two_intents_alike_with_a_key_each_are_not_taken_for_attempts_of_one(judged: Judged) -> None:
    def asks_twice(world: Any) -> str | None:
        failed = 0
        for key in ("k1", "k2"):
            try:
                world.direct.bank.issue(to="ann", amount=3, key=key)
            except (ToolError, OSError):
                failed += 1
        return "refused" if failed else None

    for fault in ("503", "timeout", "lost"):
        verdicts = judged(asks_twice, f"bank.issue.1={fault}")
        assert verdicts[SLUG].state is not State.VIOLATED, fault
        assert verdicts["applied-once"].state is not State.VIOLATED, fault


def shuts_out_and_asks_again(world: Any) -> str:
    """Gives a call up, has it shut out by its key, and makes it again as another one."""
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except (ToolError, OSError):
        with suppress(ToolError, OSError):
            world.direct.bank.undo_by_key("issue", "k1")
        world.direct.bank.issue(to="ann", amount=3, key="k2")
    return "completed"


def test_a_new_key_holds_once_the_first_one_is_shut_out_and_not_before(judged: Judged) -> None:
    shut = judged(shuts_out_and_asks_again, "bank.issue.1=timeout")[SLUG]
    open_still = judged(shuts_out_and_asks_again, "bank.issue.1=timeout,bank.reverse.1=503")[SLUG]

    assert shut.state is not State.VIOLATED
    assert open_still.claim == "bank.issue.1 was made again with key 'k2' instead of key 'k1'"
