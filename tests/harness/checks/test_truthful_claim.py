"""`truthful-claim` finds claims that are not true in the word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "truthful-claim"


def says(word: str | None, *, unwind: bool, tell: bool = False) -> Callable[[Any], str | None]:
    def saga(world: Any) -> str | None:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            if unwind:
                world.direct.bank.reverse(credit=credit["id"])
            if tell:
                world.direct.desk.open_case(text=f"{credit['id']} stands: mail.send 503")
            return word
        return None

    return saga


@pytest.mark.parametrize(
    ("saga", "fault", "claim"),
    [
        (says("escalated", unwind=False), "503", "said 'escalated', but no person was told"),
        (says("refused", unwind=False), "503", "said 'refused', but bank.issue cr_1 (3) was done and stands"),
        (
            says("compensated", unwind=True),
            "lost",
            "said 'compensated', but mail.send letter_1 cannot be taken back",
        ),
        (says(None, unwind=True), "503", "said 'completed', but it has taken bank.issue cr_1 (3) back"),
    ],
)
def test_an_untrue_word_is_found(
    judged: Judged, saga: Callable[[Any], str | None], fault: str, claim: str
) -> None:
    verdict = judged(saga, f"mail.send.1={fault}")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == claim


@pytest.mark.parametrize(
    "saga",
    [
        says("escalated", unwind=False, tell=True),
        says("refused", unwind=True),
        says("compensated", unwind=True),
    ],
)
def test_a_true_word_holds(judged: Judged, saga: Callable[[Any], str | None]) -> None:
    assert judged(saga, "mail.send.1=503")[SLUG].state is State.HELD
    assert judged(saga)[SLUG].state is State.HELD


def test_a_case_that_was_refused_by_the_desk_tells_nobody(judged: Judged) -> None:
    def saga(world: Any) -> str | None:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            try:
                world.direct.desk.open_case(text=credit["id"])
            except (ToolError, OSError):
                return "escalated"
            return "escalated"
        return None

    verdict = judged(saga, "mail.send.1=503,desk.open_case.1=503")[SLUG]

    assert verdict.claim == "said 'escalated', but no person was told"
    assert "desk.open_case.1" in verdict.because


def test_an_exception_is_no_word(judged: Judged) -> None:
    def saga(world: Any) -> None:
        world.direct.mail.send(to="ann")

    assert judged(saga, "mail.send.1=503")[SLUG].state is State.NOT_REACHED
