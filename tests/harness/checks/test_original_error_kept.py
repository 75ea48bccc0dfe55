"""`original-error-kept` finds an unwind that hides what it was for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "original-error-kept"
BOTH = "mail.send.1=timeout,bank.reverse.1=503"


def saga(world: Any, end: Callable[[Any, str, Exception, Exception], str | None]) -> str | None:
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError) as original:
        try:
            world.direct.bank.reverse(credit=credit)
        except (ToolError, OSError) as error:
            return end(world, credit, original, error)
        raise
    return None


def drops_it(_world: Any, _credit: str, _original: Exception, error: Exception) -> None:
    raise error from None


def chains_it(_world: Any, _credit: str, original: Exception, error: Exception) -> None:
    raise error from original


def raises_of_its_own(_world: Any, credit: str, _original: Exception, error: Exception) -> None:
    raise error from RuntimeError(f"the letter about {credit} was not sent")


def tells(*parts: str) -> Callable[[Any, str, Exception, Exception], str | None]:
    def end(world: Any, credit: str, original: Exception, error: Exception) -> str:
        known = {"credit": f"{credit} stands", "original": repr(original), "error": f"undo: {error}"}
        world.direct.desk.open_case(text="; ".join(known[part] for part in parts))
        return "escalated"

    return end


def test_a_chain_that_holds_the_undo_alone_is_found(judged: Judged) -> None:
    verdict = judged(lambda world: saga(world, drops_it), BOTH)[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "raised ToolError of bank.reverse.1, but nothing of mail.send.1"
    assert "was told 'timeout', which started the unwind" in verdict.because
    assert verdict.calls == (1, 2)


def test_a_case_that_does_not_say_why_is_found(judged: Judged) -> None:
    for parts in (("credit",), ("credit", "error")):
        verdict = judged(lambda world, parts=parts: saga(world, tells(*parts)), BOTH)[SLUG]
        assert verdict.state is State.VIOLATED
        assert verdict.claim == "case case_1 does not say why the unwind began"


def test_a_chain_with_the_original_holds(judged: Judged) -> None:
    for end in (chains_it, raises_of_its_own):
        assert judged(lambda world, fn=end: saga(world, fn), BOTH)[SLUG].state is State.HELD
    assert judged(lambda world: saga(world, drops_it), "mail.send.1=timeout")[SLUG].state is State.HELD


def test_a_case_that_says_why_holds(judged: Judged) -> None:
    end = tells("credit", "original")
    assert judged(lambda world: saga(world, end), BOTH)[SLUG].state is State.HELD


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("garbage", "JSONDecodeError('Expecting value: line 1 column 1 (char 0)')"),
        ("empty", "Expecting value: line 1 column 1 (char 0)"),
        ("accepted-lost", "no id in {'status': 'accepted'}"),
    ],
)
def test_the_words_of_an_answer_that_is_none_will_do(judged: Judged, fault: str, words: str) -> None:
    def body(world: Any, says: str) -> str | None:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            answer = world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            answer = {}
        if "id" in answer:
            return None
        try:
            world.direct.bank.reverse(credit=credit)
        except (ToolError, OSError) as error:
            world.direct.desk.open_case(text=f"{credit} stands: {says}; undo: {error}")
            return "escalated"
        return "compensated"

    plan = f"mail.send.1={fault},bank.reverse.1=503"
    assert judged(lambda world: body(world, words), plan)[SLUG].state is State.HELD
    assert judged(lambda world: body(world, "it failed"), plan)[SLUG].state is State.VIOLATED


def test_without_a_failure_before_the_unwind_it_is_not_reached(judged: Judged) -> None:
    def changes_its_mind(world: Any) -> None:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        world.direct.bank.reverse(credit=credit)
        raise RuntimeError("not today")

    assert judged(changes_its_mind)[SLUG].state is State.NOT_REACHED
    assert judged(lambda world: saga(world, drops_it))[SLUG].state is State.NOT_REACHED
