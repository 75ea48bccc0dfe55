"""`terminates` finds a saga that tries for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]


def tries_for_ever(world: Any) -> None:
    while True:
        try:
            world.direct.bank.issue(to="ann", amount=3, key="k1")
        except (ToolError, OSError):
            continue
        return


def tries_thrice(world: Any) -> None:
    for left in (2, 1, 0):
        try:
            world.direct.bank.issue(to="ann", amount=3, key="k1")
        except (ToolError, OSError):
            if not left:
                raise
        else:
            return


def test_a_saga_that_tries_for_ever_is_found(judged: Judged) -> None:
    verdict = judged(tries_for_ever, "bank.issue.1=503/all")["terminates"]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "the saga did not end by itself: it made more than 500 calls"
    assert verdict.because.startswith(
        "the last call that it began was bank.issue.1 (asked for at test_terminates"
    )
    assert verdict.calls == (0,)


def test_a_saga_that_gives_up_holds(judged: Judged) -> None:
    assert judged(tries_thrice, "bank.issue.1=503/all")["terminates"].state is State.HELD


def test_every_run_is_judged_even_one_without_a_call(judged: Judged) -> None:
    assert judged(lambda _world: None)["terminates"].state is State.HELD
