"""`desk-failure-survives` finds a saga that asks for help once and takes no answer for one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sagaproof._checks.desk_failure_survives import DeskFailureSurvives
from sagaproof._checks.protocol import State
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle

Run = Callable[..., History]
Systems = Callable[[], dict[str, Any]]
CHECK = DeskFailureSurvives()
FAILURE = (ToolError, OSError)
UNDO_FAILS = "mail.send.1=503,bank.reverse.1=503"


def saga(world: Any, tell: Callable[[Any, str], None]) -> str:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann", key="k2")
    except FAILURE as error:
        try:
            world.direct.bank.reverse(credit=credit)
        except FAILURE as second:
            tell(world, f"{error}; {second}; {credit} stands")
            return "escalated"
        return "compensated"
    return "completed"


def once(world: Any, text: str) -> None:
    with suppress(*FAILURE):
        world.direct.desk.open_case(text=text)


def once_and_raises(world: Any, text: str) -> None:
    try:
        world.direct.desk.open_case(text=text)
    except FAILURE as error:
        msg = f"nobody could be told: {text}"
        raise RuntimeError(msg) from error


def until_it_is_there(world: Any, text: str) -> None:
    for _ in range(5):
        with suppress(*FAILURE):
            if "error" not in world.direct.desk.open_case(text=text, key="case"):
                return


def in_other_words(world: Any, text: str) -> None:
    try:
        world.direct.desk.open_case(text=text)
    except FAILURE:
        world.direct.desk.open_case(text=f"once more: {text}")


@pytest.mark.parametrize("tell", [once, once_and_raises])
def test_who_asks_once_is_found(run: Run, tell: Callable[[Any, str], None]) -> None:
    for fault in ("503", "timeout", "refused", "422"):
        plan = f"{UNDO_FAILS},desk.open_case.1={fault}"
        verdict = CHECK.judge(run(lambda world: saga(world, tell), plan))
        assert verdict.state is State.VIOLATED
        assert verdict.claim.endswith(", but the case of desk.open_case.1 never came to the desk")
        assert f"{fault}' in the last of its attempts (1)" in verdict.because
        assert verdict.calls == (3,)


def test_an_error_inside_a_success_is_no_case(run: Run) -> None:
    plan = f"{UNDO_FAILS},desk.open_case.1=soft-error"

    assert CHECK.judge(run(lambda world: saga(world, once), plan)).state is State.VIOLATED


def test_who_tries_again_holds(run: Run) -> None:
    for fault in ("503", "timeout", "refused", "lost", "torn", "garbage", "late"):
        for tell in (until_it_is_there, in_other_words):
            history = run(
                lambda world, tell=tell: saga(world, tell), f"{UNDO_FAILS},desk.open_case.1={fault}"
            )
            assert CHECK.judge(history).state is State.HELD


def test_a_lost_answer_lost_no_case(run: Run) -> None:
    history = run(lambda world: saga(world, once), f"{UNDO_FAILS},desk.open_case.1=lost")

    assert CHECK.judge(history).state is State.HELD


def test_a_desk_that_answers_at_once_does_not_reach_it(run: Run) -> None:
    assert CHECK.judge(run(lambda world: saga(world, once), UNDO_FAILS)).state is State.NOT_REACHED
    assert CHECK.judge(run(lambda world: saga(world, once))).state is State.NOT_REACHED


def test_a_case_of_the_same_content_that_was_there_before_is_it(run: Run) -> None:
    def tells_ahead(world: Any) -> str:
        once(world, "watch ann")
        world.direct.bank.issue(to="ann", amount=3, key="k1")
        once(world, "watch ann")
        return "escalated"

    assert CHECK.judge(run(tells_ahead, "desk.open_case.2=503")).state is State.HELD


def test_what_is_delivered_after_a_restart_or_at_rest_is_delivered(systems: Systems) -> None:
    kept: list[str] = []

    def body(world: Any) -> str:
        kept.clear()
        keep = world.durable(kept.append)

        def tell(world: Any, text: str) -> None:
            keep(text)
            once(world, text)

        return saga(world, tell)

    def recover(world: Any) -> str:
        for text in kept:
            once(world, text)
        return "escalated" if kept else "completed"

    for fault, again in (("crash-before", recover), ("503/all", recover)):
        with Runner(WorldHandle(systems()), CallableDriver(body, again)) as runner:
            history = runner.run(OPAQUE, Plan.parse(f"{UNDO_FAILS},desk.open_case.1={fault}"))
        assert CHECK.judge(history).state is State.HELD, fault


def test_a_restart_that_forgot_the_case_is_found(systems: Systems) -> None:
    def body(world: Any) -> str:
        return saga(world, once)

    for fault in ("crash-before", "503/all"):
        with Runner(WorldHandle(systems()), CallableDriver(body, lambda _world: "escalated")) as runner:
            history = runner.run(OPAQUE, Plan.parse(f"{UNDO_FAILS},desk.open_case.1={fault}"))
        assert CHECK.judge(history).state is State.VIOLATED, fault
