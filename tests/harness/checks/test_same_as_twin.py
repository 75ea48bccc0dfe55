"""`same-as-twin` finds a world that is not as after a run without faults, though every effect is there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sagaproof._checks.protocol import State, Verdict

Judged = Callable[..., dict[str, Verdict]]
SLUG = "same-as-twin"


def does_not_wait(world: Any) -> None:
    """Takes a timeout for 'will be there soon', and writes the next value at once."""
    world.crm.add_ticket("t1")
    with suppress(TimeoutError):
        world.direct.crm.set_status(ticket="t1", status="pending", key="k1")
    world.direct.crm.set_status(ticket="t1", status="solved", key="k2")


def tries_again(world: Any) -> None:
    world.crm.add_ticket("t1")
    for key, status in (("k1", "pending"), ("k2", "solved")):
        for _ in range(3):
            with suppress(Exception):
                world.direct.crm.set_status(ticket="t1", status=status, key=key)
                break


def issues_anew(world: Any) -> None:
    """The credit has another id than without faults, and is named by it elsewhere."""
    world.crm.add_ticket("t1")
    try:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
    except TimeoutError:
        world.direct.bank.undo_by_key("issue", "k1")
        credit = world.direct.bank.issue(to="ann", amount=3, key="k2")["id"]
    world.direct.crm.set_status(ticket="t1", status=f"credited: {credit}")


def test_an_old_value_that_lands_after_the_new_one_is_found(judged: Judged) -> None:
    found = judged(does_not_wait, "crm.set_status.1=late-end")

    assert found[SLUG].state is State.VIOLATED
    assert found[SLUG].claim == (
        "said 'completed', but crm.tickets[t1].status is 'pending', and 'solved' without faults"
    )
    assert found[SLUG].because.startswith("crm.set_status.1 (asked for at test_same_as_twin.py:")
    assert found[SLUG].because.endswith(") was the last to write it")
    assert found[SLUG].calls == (0,)
    assert found["completed-is-complete"].state is State.HELD, "the effects are all there"


def test_what_lands_in_time_holds(judged: Judged) -> None:
    assert judged(does_not_wait, "crm.set_status.1=lost")[SLUG].state is State.HELD
    for fault in ("503", "lost", "late", "late-end", "torn", "duplicate"):
        assert judged(tries_again, f"crm.set_status.1={fault}")[SLUG].state is State.HELD


def test_ids_may_differ_also_within_a_text(judged: Judged) -> None:
    assert judged(issues_anew, "bank.issue.1=lost")[SLUG].state is State.HELD


def test_a_missing_effect_is_left_to_the_check_that_names_it(judged: Judged) -> None:
    found = judged(does_not_wait, "crm.set_status.1=timeout")

    assert found["completed-is-complete"].state is State.VIOLATED
    assert found[SLUG].state is State.NOT_REACHED


def test_without_faults_or_with_another_writer_there_is_nothing_to_compare(judged: Judged) -> None:
    def another(world: Any) -> None:
        tries_again(world)
        world.crm.tickets.patch("t1", priority="high")

    assert judged(tries_again)[SLUG].state is State.NOT_REACHED
    assert judged(another, "crm.set_status.1=lost")[SLUG].state is State.NOT_REACHED


def test_another_claim_is_not_judged(judged: Judged) -> None:
    def tells(world: Any) -> str:
        does_not_wait(world)
        return "escalated"

    assert judged(tells, "crm.set_status.1=late-end")[SLUG].state is State.NOT_REACHED
