"""`recovery-idempotent` finds a recovery that does something to a saga that has come to its end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sagaproof._checks.protocol import State
from sagaproof._checks.recovery_idempotent import RecoveryIdempotent
from sagaproof._model.history import History
from sagaproof._taps.direct import ToolError

Restarted = Callable[..., History]
CHECK = RecoveryIdempotent()
FAILURE = (ToolError, OSError)


def issue(world: Any, key: str | None = None) -> str:
    return str(world.direct.bank.issue(to="ann", amount=3, key=key)["id"])


def steps(store: Any) -> Callable[[Any], str]:
    """A saga that books a room, notes that, and mails; without the mail it cancels the room."""

    def body(world: Any) -> str:
        write = store.fresh(world)
        write({"room": world.direct.hotel.book(guest="ann")["id"]})
        try:
            world.direct.mail.send(to="ann", key="k2")
        except FAILURE:
            return unwind(world, write, store)
        write("completed")
        return "completed"

    return body


def unwind(world: Any, write: Callable[[Any], None], store: Any, *, note: bool = True) -> str:
    """Cancel each room that was noted and not cancelled since."""
    for line in list(store.lines):
        if isinstance(line, dict) and f"cancelled {line['room']}" not in store.lines:
            world.direct.hotel.cancel(room=line["room"])
            if note:
                write(f"cancelled {line['room']}")
    return "compensated"


# What is found ----------------------------------------------------------------------------------------------


def test_a_recovery_that_does_not_note_what_it_undid_is_found(restarted: Restarted, store: Any) -> None:
    def recover(world: Any) -> str:
        return unwind(world, store.tapped(world), store, note=False)

    verdict = CHECK.judge(restarted(steps(store), recover, "mail.send.1=crash-before"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'compensated', but recovering it once more took hotel.book room_1 back"
    assert verdict.because.startswith("hotel.cancel.2 (asked for at test_recovery_idempotent.py:")
    assert verdict.because.endswith("was called by a process that found the saga at its end")
    assert verdict.calls == (3, 0)


def test_a_recovery_that_goes_forward_again_is_found(restarted: Restarted) -> None:
    verdict = CHECK.judge(restarted(issue_alone, issue_alone, "bank.issue.1=crash-before"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'completed', but recovering it once more did bank.issue cr_2 (3)"


def issue_alone(world: Any) -> None:
    issue(world)


def test_an_undo_that_was_handed_to_a_person_and_is_tried_again_is_found(
    restarted: Restarted, store: Any
) -> None:
    def recover(world: Any) -> str:
        write = store.tapped(world)
        try:
            return unwind(world, write, store)
        except FAILURE as error:
            world.direct.desk.open_case(text=f"room_1 stands: {error}", key="case")
            return "escalated"

    plan = "mail.send.1=crash-before,hotel.cancel.1@1=503"
    verdict = CHECK.judge(restarted(steps(store), recover, plan))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "said 'escalated', but recovering it once more took hotel.book room_1 back"


# What is right ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "plan", ["mail.send.1=crash-before", "mail.send.1=503,hotel.cancel.1=crash-before", "hotel.book.1=lost"]
)
def test_a_recovery_that_goes_by_what_is_noted_holds(restarted: Restarted, store: Any, plan: str) -> None:
    def recover(world: Any) -> str:
        return unwind(world, store.tapped(world), store)

    state = CHECK.judge(restarted(steps(store), recover, plan)).state

    assert state is (State.HELD if "crash" in plan else State.NOT_REACHED)


def test_a_repetition_that_the_service_absorbs_holds(restarted: Restarted) -> None:
    def body(world: Any) -> None:
        world.crm.add_ticket("t1")
        recover(world)

    def recover(world: Any) -> None:
        issue(world, "k1")
        world.direct.crm.set_status(ticket="t1", status="solved")
        world.direct.crm.set_priority(ticket="t1", priority="high")

    assert CHECK.judge(restarted(body, recover, "bank.issue.1=crash-after")).state is State.HELD


def test_a_case_that_could_not_be_opened_may_be_opened_then(restarted: Restarted, store: Any) -> None:
    def body(world: Any) -> str:
        store.fresh(world)
        with suppress(*FAILURE):
            world.direct.mail.send(to="ann", key="k2")
        return recover(world)

    def recover(world: Any) -> str:
        write = store.tapped(world)
        if not store.lines:
            with suppress(*FAILURE):
                world.direct.desk.open_case(text="the mail is open")
                write("told")
        return "escalated"

    history = restarted(body, recover, "mail.send.1=503,desk.open_case.1=503")

    assert len(history.cases) == 1
    assert CHECK.judge(history).state is State.HELD


def test_what_landed_after_the_end_may_be_taken_back_then(restarted: Restarted) -> None:
    def body(world: Any) -> None:
        issue(world, "k1")

    def recover(world: Any) -> str:
        seen = world.direct.bank.lookup(operation="issue", key="k1")
        if seen["state"] == "applied":
            world.direct.bank.undo_by_key("issue", "k1")
        return "compensated"

    history = restarted(body, recover, "bank.issue.1=crash-late")

    assert len(history.undo_calls) == 1
    assert CHECK.judge(history).state is State.HELD


def test_a_saga_that_raised_has_not_said_that_it_is_done(restarted: Restarted, store: Any) -> None:
    def recover(world: Any) -> str:
        return unwind(world, store.tapped(world), store)

    history = restarted(steps(store), recover, "mail.send.1=crash-before,hotel.cancel.1@1=503")

    assert history.claim == "raised"
    assert history.undone_by
    assert CHECK.judge(history).state is State.NOT_REACHED


def test_a_saga_that_raised_and_has_nothing_left_holds(restarted: Restarted) -> None:
    def recover(_: Any) -> str:
        return "raised"

    assert CHECK.judge(restarted(issue_alone, recover, "bank.issue.1=crash-before")).state is State.HELD
