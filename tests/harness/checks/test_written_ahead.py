"""`written-ahead` finds a call that is sent before anything of it stands in a durable store."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from sagaproof._checks.protocol import Facts, State
from sagaproof._checks.written_ahead import WrittenAhead
from sagaproof._model.history import History
from sagaproof._model.script import AfterRestart, Script, ToolCall
from sagaproof._taps.direct import ToolError

Restarted = Callable[..., History]
CHECK = WrittenAhead()
ISSUE = {"to": "ann", "amount": 3}


def nothing(_: Any) -> str:
    return "refused"


# What is found ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "plan",
    [
        "bank.issue.1=crash-before",
        "bank.issue.1=crash-after",
        "bank.issue.1=crash-late",
        "journal.append.1=crash-before",
    ],
)
def test_a_note_that_is_made_after_the_call_is_found(restarted: Restarted, store: Any, plan: str) -> None:
    def body(world: Any) -> None:
        write = store.fresh(world)
        credit = world.direct.bank.issue(**ISSUE, key="k1")
        write({"done": "issue", "credit": credit["id"]})

    verdict = CHECK.judge(restarted(body, nothing, plan))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "the process died over bank.issue.1, but nothing of that had been written down"
    assert verdict.because.startswith("bank.issue.1 (asked for at test_written_ahead.py:")
    died_at = plan.partition("=")[0]
    assert f"under the key k1 was made before any record named it; the process died at {died_at}" in (
        verdict.because
    )
    assert verdict.calls == (0,)


def test_one_step_of_several_that_is_not_written_ahead_is_found(restarted: Restarted, store: Any) -> None:
    def body(world: Any) -> None:
        write = store.fresh(world)
        write("issue k1")
        world.direct.bank.issue(**ISSUE, key="k1")
        world.direct.hotel.book(guest="ann")
        write("issue k1 and the room are there")

    def recover(world: Any) -> str:
        return undo(world, "k1")

    verdict = CHECK.judge(restarted(body, recover, "hotel.book.1=crash-after"))

    assert verdict.state is State.VIOLATED
    assert "hotel.book.1" in verdict.claim
    assert CHECK.judge(restarted(body, recover, "bank.issue.1=crash-after")).state is State.HELD


def test_a_key_drawn_at_random_has_to_be_written_itself(restarted: Restarted, store: Any) -> None:
    def body(world: Any, *, with_key: bool) -> None:
        write = store.fresh(world)
        key = f"credit-{uuid.uuid4()}"
        write({"step": "issue", "key": key} if with_key else {"step": "issue", "to": "ann"})
        world.direct.bank.issue(**ISSUE, key=key)

    plan = "bank.issue.1=crash-after"
    without = restarted(lambda world: body(world, with_key=False), nothing, plan)

    assert CHECK.judge(without).state is State.VIOLATED
    assert CHECK.judge(restarted(lambda world: body(world, with_key=True), nothing, plan)).state is State.HELD


def test_a_repetition_under_another_key_shows_no_knowledge(restarted: Restarted, store: Any) -> None:
    def body(world: Any) -> None:
        write = store.fresh(world)
        write("begun")
        world.direct.bank.issue(**ISSUE, key=str(uuid.uuid4()))

    def again(world: Any) -> None:
        world.direct.bank.issue(**ISSUE, key=str(uuid.uuid4()))

    assert CHECK.judge(restarted(body, again, "bank.issue.1=crash-before")).state is State.VIOLATED


# What is right ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        {"intent": {"key": "4921/credit"}},
        '{"intent": {"key": "4921/credit", "undo": "4921/credit/undo"}}',
        {"undo": "4921/credit/undo"},
        {"plan": ["hotel.book", "bank.issue"]},
        "next: issue",
    ],
)
def test_a_record_that_names_key_or_operation_is_enough(
    restarted: Restarted, store: Any, record: object
) -> None:
    def body(world: Any) -> None:
        store.fresh(world)(record)
        world.direct.bank.issue(**ISSUE, key="4921/credit")

    for fault in ("crash-before", "crash-after", "crash-late"):
        assert CHECK.judge(restarted(body, nothing, f"bank.issue.1={fault}")).state is State.HELD


def test_a_record_that_holds_the_arguments_is_enough_for_a_call_without_a_key(
    restarted: Restarted, store: Any
) -> None:
    def body(world: Any, key: str | None) -> None:
        store.fresh(world)('{"for": "ann"}')
        world.direct.bank.issue(**ISSUE, key=key)

    for key, state in ((None, State.HELD), ("k1", State.VIOLATED)):
        history = restarted(lambda world, key=key: body(world, key), nothing, "bank.issue.1=crash-after")
        assert CHECK.judge(history).state is state


def test_a_record_that_was_lost_in_the_crash_is_none_but_no_call_followed_it(
    restarted: Restarted, store: Any
) -> None:
    def body(world: Any) -> None:
        store.fresh(world)("issue k1")
        world.direct.bank.issue(**ISSUE, key="k1")

    assert CHECK.judge(restarted(body, nothing, "journal.append.1=crash-before")).state is State.NOT_REACHED


def repeat(world: Any) -> None:
    world.direct.bank.issue(**ISSUE, key="4921")


def undo(world: Any, key: str = "4921") -> str:
    with suppress(ToolError):  # it is reversed already, when the saga is looked at once more
        world.direct.bank.undo_by_key("issue", key)
    return "compensated"


def look(world: Any) -> str:
    world.direct.bank.lookup(operation="issue", key="4921")
    return "refused"


def tell(world: Any) -> str:
    world.direct.desk.open_case(text="what became of 4921 is open")
    return "escalated"


@pytest.mark.parametrize("recover", [repeat, undo, look, tell])
def test_a_recovery_that_comes_back_to_the_call_needs_no_record_of_it(
    restarted: Restarted, store: Any, recover: Callable[[Any], Any]
) -> None:
    """Who can work out its keys anew knows its calls: the code itself is what was written ahead."""

    def body(world: Any) -> None:
        write = store.fresh(world)
        write("begun")
        world.direct.bank.issue(**ISSUE, key="4921")
        write("done")

    for fault in ("crash-before", "crash-after", "crash-late"):
        assert CHECK.judge(restarted(body, recover, f"bank.issue.1={fault}")).state is State.HELD


def test_a_recovery_that_is_killed_in_its_turn_comes_back_later(restarted: Restarted, store: Any) -> None:
    def body(world: Any) -> None:
        store.fresh(world)("begun")
        world.direct.bank.issue(**ISSUE, key="4921")

    def recover(world: Any) -> str:
        store.tapped(world)("recovering")
        return undo(world)

    plan = "bank.issue.1=crash-after,journal.append.2@1=crash-after"
    assert CHECK.judge(restarted(body, recover, plan)).state is State.HELD


def test_intents_of_one_turn_may_all_be_written_first(restarted: Restarted, store: Any) -> None:
    def body(world: Any) -> None:
        write = store.fresh(world)
        for key in ("k1", "k2"):
            write(key)
        for key in ("k1", "k2"):
            world.direct.bank.issue(**ISSUE, key=key)

    assert CHECK.judge(restarted(body, nothing, "bank.issue.2=crash-after")).state is State.HELD


def test_what_a_wrapped_tool_calls_is_part_of_it(restarted: Restarted, store: Any) -> None:
    def body(world: Any, *, ahead: bool) -> None:
        def credit(to: str) -> object:
            return world.direct.bank.issue(to=to, amount=3, key="4921")

        write = store.fresh(world)
        write("credit is next" if ahead else "begun")
        world.tool(credit, cls=4)(to="ann")
        world.direct.hotel.book(guest="ann")

    for ahead, state in ((True, State.HELD), (False, State.VIOLATED)):
        history = restarted(
            lambda world, ahead=ahead: body(world, ahead=ahead), nothing, "bank.issue.1=crash-after"
        )
        assert CHECK.judge(history).state is state

    after = restarted(lambda world: body(world, ahead=True), nothing, "hotel.book.1=crash-after")
    assert CHECK.judge(after).state is State.VIOLATED, "the tool had returned"


# What it does not speak of ----------------------------------------------------------------------------------


def test_reads_convergent_writes_and_undos_are_not_judged(restarted: Restarted, store: Any) -> None:
    def body(world: Any) -> str:
        world.crm.add_ticket("t1")
        write = store.fresh(world)
        write("issue k1")
        world.direct.bank.issue(**ISSUE, key="k1")
        write("issued")
        world.direct.crm.get_ticket(ticket="t1")
        world.direct.crm.set_priority(ticket="t1", priority="high")
        world.direct.bank.undo_by_key("issue", "k1")
        return "compensated"

    for at in ("crm.get_ticket.1", "crm.set_priority.1", "bank.reverse.1"):
        assert CHECK.judge(restarted(body, nothing, f"{at}=crash-before")).state is State.NOT_REACHED


def test_a_saga_without_a_durable_store_does_not_reach_it(restarted: Restarted) -> None:
    def body(world: Any) -> None:
        world.direct.bank.issue(**ISSUE, key="k1")

    assert CHECK.judge(restarted(body, nothing, "bank.issue.1=crash-after")).state is State.NOT_REACHED


def test_it_applies_to_sagas_that_write_durably_and_are_killed() -> None:
    none: frozenset[str] = frozenset()

    def facts(*, durable: bool = True, faults: str = "crash-late", cls: int = 3) -> Facts:
        return Facts(
            called=none,
            undos=none,
            classes=frozenset({1, cls}),
            claims=none,
            faults=frozenset({faults}),
            escalates=False,
            amounts=False,
            keys=False,
            retried=False,
            durable=durable,
        )

    assert CHECK.applies(facts())
    assert not CHECK.applies(facts(durable=False))
    assert not CHECK.applies(facts(faults="lost"))
    assert not CHECK.applies(facts(cls=2))


# With an agent ----------------------------------------------------------------------------------------------


class Dispatcher:
    """Calls what its agent asks for under the call id; `ahead` names what it writes before."""

    def __init__(self, world: Any, write: Callable[[Any], None], ahead: Sequence[str]) -> None:
        self.world = world
        self.write = write
        self.ahead = ahead

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> object:
        """One credit."""
        assert tool == "give_credit"
        known = {"started": "saga-1", "tool": tool, "key": f"saga-1/{call_id}"}
        self.write({name: known[name] for name in self.ahead})
        answer = self.world.direct.bank.issue(**args, key=known["key"])
        self.write({"call_id": call_id, "tool": tool, "answer": answer})
        return answer

    def give_up(self) -> str:
        """Leave it all."""
        return "raised"

    def finish(self) -> None:
        """Say that it is done."""


SCRIPT = Script("credit", (ToolCall("give_credit", ISSUE, "c1"),))


@pytest.mark.parametrize("after_restart", [AfterRestart.GO_ON, AfterRestart.GIVE_UP])
@pytest.mark.parametrize(
    ("ahead", "state"),
    [
        (["started"], State.VIOLATED),
        (["started", "tool"], State.HELD),
        (["started", "key"], State.HELD),
    ],
)
def test_that_an_agent_repeats_its_call_does_not_stand_for_a_record(
    fed: Restarted, store: Any, ahead: Sequence[str], state: State, after_restart: AfterRestart
) -> None:
    history = fed(
        lambda world: Dispatcher(world, store.fresh(world), ahead),
        lambda world: Dispatcher(world, store.tapped(world), ahead),
        replace(SCRIPT, after_restart=after_restart),
        "bank.issue.1=crash-after",
    )
    assert CHECK.judge(history).state is state


def test_a_dispatcher_that_undoes_by_itself_what_its_agent_does_not_repeat(
    fed: Restarted, store: Any
) -> None:
    class Undoes(Dispatcher):
        def give_up(self) -> str:
            return undo(self.world, "saga-1/c1")

    history = fed(
        lambda world: Undoes(world, store.fresh(world), ["started"]),
        lambda world: Undoes(world, store.tapped(world), ["started"]),
        replace(SCRIPT, after_restart=AfterRestart.GIVE_UP),
        "bank.issue.1=crash-after",
    )
    assert CHECK.judge(history).state is State.HELD
