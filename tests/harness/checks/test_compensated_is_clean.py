"""`compensated-is-clean` finds a saga that says 'compensated' and has left something behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "compensated-is-clean"


def forgets_the_status(world: Any) -> str | None:
    world.crm.add_ticket("t1")
    credit = world.direct.bank.issue(to="ann", amount=3, key="k1")
    world.direct.crm.set_status(ticket="t1", status="solved")
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit["id"])
        return "compensated"
    return None


def puts_the_wrong_value_back(world: Any) -> str | None:
    world.crm.add_ticket("t1")
    world.direct.crm.set_status(ticket="t1", status="pending")
    world.direct.crm.set_status(ticket="t1", status="solved")
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.crm.set_status(ticket="t1", status="open")
        world.direct.crm.set_status(ticket="t1", status="pending")
        return "compensated"
    return None


def puts_the_first_value_back(world: Any) -> str | None:
    world.crm.add_ticket("t1")
    world.direct.crm.set_status(ticket="t1", status="pending")
    world.direct.crm.set_status(ticket="t1", status="solved")
    try:
        world.direct.mail.send(to="ann")
    except (ToolError, OSError):
        world.direct.crm.set_status(ticket="t1", status="open")
        return "compensated"
    return None


def test_a_forgotten_effect_is_found(judged: Judged) -> None:
    verdict = judged(forgets_the_status, "mail.send.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'compensated', but crm.set_status t1 still stands"
    assert "crm.set_status.1 (asked for at" in verdict.because


def test_a_wrong_value_is_found_though_each_effect_has_its_undo(judged: Judged) -> None:
    verdict = judged(puts_the_wrong_value_back, "mail.send.1=503")[SLUG]

    assert verdict.claim == "said 'compensated', but crm.tickets[t1].status: 'open' -> 'pending'"


def test_one_write_that_takes_two_back_holds(judged: Judged) -> None:
    assert judged(puts_the_first_value_back, "mail.send.1=503")[SLUG].state is State.HELD


def test_completed_is_not_judged(judged: Judged) -> None:
    assert judged(puts_the_first_value_back)[SLUG].state is State.NOT_REACHED
