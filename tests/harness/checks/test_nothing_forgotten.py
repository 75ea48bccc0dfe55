"""`nothing-forgotten` finds what a dead process did and no later one accounts for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import pytest

from sagaproof._checks.nothing_forgotten import NothingForgotten
from sagaproof._checks.protocol import State
from sagaproof._model.event import Noted
from sagaproof._model.history import History
from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.direct import ToolError

Restarted = Callable[..., History]
CHECK = NothingForgotten()
ISSUE = {"to": "ann", "amount": 3}
FAILURE = (ToolError, OSError)


def body(world: Any) -> None:
    """A credit under a key and a room."""
    world.direct.bank.issue(**ISSUE, key="k1")
    world.direct.hotel.book(guest="ann")


def undo(world: Any) -> str:
    with suppress(ToolError):  # it is reversed already, when the saga is looked at once more
        world.direct.bank.undo_by_key("issue", "k1")
    return "compensated"


# What is found ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["refused", "compensated", "raised", "escalated"])
@pytest.mark.parametrize(
    ("plan", "when"),
    [
        ("bank.issue.1=crash-after", "was under way"),
        ("bank.issue.1=crash-late", "was under way"),
        ("hotel.book.1=crash-before", "had been answered"),
    ],
)
def test_an_effect_that_no_later_process_comes_back_to_is_found(
    restarted: Restarted, plan: str, when: str, said: str
) -> None:
    verdict = CHECK.judge(restarted(body, lambda _: said, plan))

    assert verdict.state is State.VIOLATED
    what = "bank.issue cr_1 (3), which a process that died had asked for,"
    assert verdict.claim.endswith(f", but {what} stands, and no open case names it")
    assert said in verdict.claim.partition(",")[0]
    died_at = plan.partition("=")[0]
    assert f"{when} when the process died at {died_at}, and no later one came back to it" in verdict.because
    assert verdict.calls == (0,)


def test_an_undo_in_vain_is_told_apart(restarted: Restarted) -> None:
    def gives_up(world: Any) -> str:
        with suppress(*FAILURE):
            world.direct.bank.undo_by_key("issue", "k1")
        return "compensated"

    def unwinds(world: Any) -> str:
        body(world)
        return gives_up(world)

    late = CHECK.judge(restarted(body, gives_up, "hotel.book.1=crash-before,bank.reverse.1@1=503"))
    assert late.state is State.HELD, "a later look at the saga took it back"

    forgotten = CHECK.judge(restarted(unwinds, lambda _: "compensated", "bank.reverse.1=crash-before"))
    assert forgotten.state is State.VIOLATED
    assert "was being undone when the process died at bank.reverse.1" in forgotten.because
    assert forgotten.calls == (0, 2)

    def asks_and_leaves_it(world: Any) -> str:
        world.direct.bank.lookup(operation="issue", key="k1")
        return "refused"

    left = CHECK.judge(restarted(body, asks_and_leaves_it, "bank.issue.1=crash-after"))
    assert left.state is State.VIOLATED
    assert left.because.endswith("and those after it left it so")


# What is right ----------------------------------------------------------------------------------------------


def test_what_is_taken_back_is_accounted_for(restarted: Restarted) -> None:
    for fault in ("crash-before", "crash-after", "crash-late"):
        history = restarted(body, undo, f"bank.issue.1={fault}")
        assert CHECK.judge(history).state is State.HELD


def test_what_a_case_names_is_accounted_for(restarted: Restarted) -> None:
    def tell(world: Any) -> str:
        world.direct.desk.open_case(text="k1 may be there", key="case")
        return "escalated"

    for fault in ("crash-before", "crash-after", "crash-late"):
        assert CHECK.judge(restarted(body, tell, f"bank.issue.1={fault}")).state is State.HELD


def test_what_a_completed_saga_leaves_is_accounted_for(restarted: Restarted) -> None:
    def repeat_the_credit(world: Any) -> None:
        world.direct.bank.issue(**ISSUE, key="k1")

    for fault in ("crash-before", "crash-after", "crash-late"):
        history = restarted(repeat_the_credit, repeat_the_credit, f"bank.issue.1={fault}")
        assert CHECK.judge(history).state is State.HELD


def test_what_was_being_undone_may_land_by_itself(restarted: Restarted) -> None:
    def unwinds(world: Any) -> str:
        body(world)
        return undo(world)

    def only_the_room(world: Any) -> str:
        with suppress(*FAILURE):
            world.direct.hotel.cancel(room="room_1")
        return "compensated"

    assert CHECK.judge(restarted(unwinds, only_the_room, "bank.reverse.1=crash-late")).state is State.HELD


def test_it_is_reached_by_a_death_after_a_step(restarted: Restarted) -> None:
    def reads_first(world: Any) -> None:
        world.crm.add_ticket("t1")
        world.direct.crm.get_ticket(ticket="t1")
        body(world)

    history = restarted(reads_first, lambda _: "refused", "crm.get_ticket.1=crash-before")
    assert CHECK.judge(history).state is State.NOT_REACHED
    assert CHECK.judge(restarted(body, undo, "bank.issue.1=503")).state is State.NOT_REACHED


# An agent that decides otherwise ----------------------------------------------------------------------------


class Forgetful:
    """Calls what its agent asks for, and keeps nothing."""

    def __init__(self, world: Any) -> None:
        self.world = world

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> object:
        """Call it under its call id."""
        system, operation = tool.split("_")
        return getattr(getattr(self.world.direct, system), operation)(**args, key=call_id)

    def give_up(self) -> str:
        """Leave all as it is."""
        return "raised"

    def finish(self) -> None:
        """Say that it is done."""


class Asks(Forgetful):
    """Asks in each new process what became of the credit."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        world.direct.bank.lookup(operation="issue", key="c1")


class Keeps(Forgetful):
    """Notes each step that is done, and takes these for part of the saga."""

    def __init__(self, world: Any, write: Callable[[Any], None]) -> None:
        super().__init__(world)
        self.write = write

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> object:
        """The same, noted."""
        answer = super().call(tool, args, call_id)
        self.write(call_id)
        return answer


CALLS = (ToolCall("bank_issue", ISSUE, "c1"), ToolCall("hotel_book", {"guest": "ann"}, "c2"))
SCRIPT = Script(
    "credit",
    CALLS,
    after_restart=(ToolCall("hotel_book", {"guest": "ann"}, "c3"),),
)


@pytest.mark.parametrize("plan", ["bank.issue.1=crash-after", "bank.issue.1=crash-late"])
def test_a_completed_saga_that_has_forgotten_what_its_agent_gave_up_is_found(
    fed: Restarted, plan: str
) -> None:
    history = fed(Forgetful, Forgetful, SCRIPT, plan)
    verdict = CHECK.judge(history)

    assert history.claim == "completed"
    assert verdict.state is State.VIOLATED
    assert verdict.claim.startswith("said 'completed', but bank.issue cr_1 (3), which a process that died")


def test_one_that_asks_what_became_of_it_knows_of_it(fed: Restarted) -> None:
    assert CHECK.judge(fed(Forgetful, Asks, SCRIPT, "bank.issue.1=crash-after")).state is State.HELD


def test_one_that_had_noted_it_knows_of_it(fed: Restarted, store: Any) -> None:
    def make(world: Any) -> Keeps:
        return Keeps(world, store.fresh(world))

    def recover(world: Any) -> Keeps:
        return Keeps(world, store.tapped(world))

    for plan, state in (
        ("hotel.book.1=crash-before", State.HELD),
        ("journal.append.1=crash-after", State.HELD),
        ("journal.append.1=crash-before", State.VIOLATED),
    ):
        assert CHECK.judge(fed(make, recover, SCRIPT, plan)).state is state


def test_an_agent_that_repeats_its_calls_forgets_nothing(fed: Restarted) -> None:
    script = replace(SCRIPT, after_restart=CALLS)
    for fault in ("crash-before", "crash-after", "crash-late"):
        assert CHECK.judge(fed(Forgetful, Forgetful, script, f"bank.issue.1={fault}")).state is State.HELD


def test_what_another_thread_was_writing_down_when_the_process_died_is_written_down(
    restarted: Restarted,
) -> None:
    lines: list[str] = []
    writing, dead = Event(), Event()

    def keep(line: str) -> None:
        writing.set()
        dead.wait(10)
        lines.append(line)

    def two_at_once(world: Any) -> None:
        writing.clear()
        dead.clear()
        world.direct.bank.issue(**ISSUE, key="k1")
        write = world.durable(keep)
        other = Thread(target=lambda: suppressed(lambda: write("k1 is done")))
        other.start()
        writing.wait(10)
        try:
            world.direct.hotel.book(guest="ann")
        finally:
            dead.set()
            other.join()

    def suppressed(work: Callable[[], object]) -> None:
        with suppress(BaseException):  # the thread of a dead process is told so
            work()

    history = restarted(two_at_once, lambda _: "completed", "hotel.book.1=crash-before")

    assert [note.record for note in history.of(Noted) if note.kept] == ["k1 is done"]
    assert lines == ["k1 is done"] * 2  # once in the run without faults
    assert CHECK.judge(history).state is State.HELD
