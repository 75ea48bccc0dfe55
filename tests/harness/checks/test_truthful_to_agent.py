"""`truthful-to-agent` finds an answer to the agent that the world does not bear out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from sagaproof._checks.protocol import State
from sagaproof._checks.truthful_to_agent import TruthfulToAgent
from sagaproof._model.history import History
from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.direct import ToolError

Fed = Callable[..., History]
CHECK = TruthfulToAgent()
ISSUE = {"to": "ann", "amount": 3}
CREDIT = Script("credit", (ToolCall("credit", ISSUE, "c1"),))
UNSURE = ("lost", "late", "late-end", "500-applied", "torn", "garbage")
"""The faults with which a call takes effect and its caller does not learn of it."""


@dataclass
class Result:
    """What the agent is told."""

    outcome: str
    value: Any = None


class Dispatcher:
    """Calls the bank under its call id; an error is told as `on_error` says."""

    on_error = "unknown"

    def __init__(self, world: Any) -> None:
        self.world = world

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
        """Call a tool."""
        try:
            return Result("ok", getattr(self, tool)(args, call_id))
        except OSError:
            return Result(self.on_error)
        except ToolError as error:
            return Result("failed" if 400 <= error.status < 500 else self.on_error)

    def credit(self, args: dict[str, Any], key: str) -> Any:
        """Give a credit."""
        return self.world.direct.bank.issue(**args, key=key)

    def give_up(self) -> str:
        """Leave all as it is."""
        return "raised"

    def finish(self) -> str:
        """Say that it is done."""
        return "completed"


class TakesSilenceForNo(Dispatcher):
    """Tells that it was not executed whenever it did not hear that it was."""

    on_error = "failed"


class TakesSilenceForYes(Dispatcher):
    """Tells that it is done unless it was refused."""

    on_error = "ok"


# Told 'failed' ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", UNSURE)
def test_told_failed_of_what_was_done_or_comes_about_later_is_found(fed: Fed, fault: str) -> None:
    verdict = CHECK.judge(fed(TakesSilenceForNo, None, CREDIT, f"bank.issue.1={fault}"))

    assert verdict.state is State.VIOLATED
    later = fault in {"late", "late-end"}
    assert verdict.claim == (
        "told the agent 'failed' of credit (c1), but bank.issue cr_1 (3) "
        f"{'came about later' if later else 'stood'}"
    )
    assert verdict.because.startswith("bank.issue.1 (asked for at test_truthful_to_agent.py:")
    assert verdict.calls == (0,)


def test_a_refusal_after_an_attempt_in_doubt_is_no_failure(fed: Fed) -> None:
    class Retries(Dispatcher):
        def credit(self, args: dict[str, Any], key: str) -> Any:
            with suppress(OSError):
                return super().credit(args, key)
            return super().credit(args, key)

    verdict = CHECK.judge(fed(Retries, None, CREDIT, "bank.issue.1=late-end,bank.issue.1:2=422"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim.endswith("came about later")


def test_a_call_that_was_cancelled_on_its_way_is_found(fed: Fed) -> None:
    class Impatient:
        """Waits for a tool as long as it likes, and drops it."""

        def __init__(self, world: Any) -> None:
            self.world = world

        async def call(self, _tool: str, args: dict[str, Any], call_id: str) -> Result:
            """Call a tool."""
            try:
                return Result("ok", await asyncio.wait_for(self.issue(args, call_id), 5))
            except TimeoutError:
                return Result("failed: cancelled, not executed")

        async def issue(self, args: dict[str, Any], key: str) -> Any:
            answer = self.world.direct.bank.issue(**args, key=key)
            if self.world.gate.plan:
                await asyncio.sleep(60)  # the service is slow that day
            return answer

        async def give_up(self) -> str:
            """Leave it."""
            return "raised"

        async def finish(self) -> str:
            """Say that it is done."""
            return "completed"

    verdict = CHECK.judge(fed(Impatient, None, CREDIT, "bank.issue.1=duplicate"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim.endswith("bank.issue cr_1 (3) stood")


def test_what_an_earlier_process_did_for_the_step_belongs_to_it(fed: Fed) -> None:
    class Refused(Dispatcher):
        def credit(self, _args: dict[str, Any], _key: str) -> Any:
            raise ToolError(409, "closed", "the books are closed")

    verdict = CHECK.judge(fed(Dispatcher, Refused, CREDIT, "bank.issue.1=crash-after"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "told the agent 'failed' of credit (c1), but bank.issue cr_1 (3) stood"


@pytest.mark.parametrize("fault", ["422", "503", "refused", "timeout"])
def test_told_failed_of_what_was_not_done_holds(fed: Fed, fault: str) -> None:
    assert CHECK.judge(fed(TakesSilenceForNo, None, CREDIT, f"bank.issue.1={fault}")).state is State.HELD


def test_told_failed_of_what_was_fenced_or_taken_back_in_time_holds(fed: Fed) -> None:
    class SeesToIt(TakesSilenceForNo):
        def credit(self, args: dict[str, Any], key: str) -> Any:
            try:
                return super().credit(args, key)
            except (OSError, ToolError):
                self.world.direct.bank.undo_by_key("issue", key)
                raise

    for fault in ("503", *UNSURE):
        assert CHECK.judge(fed(SeesToIt, None, CREDIT, f"bank.issue.1={fault}")).state is State.HELD


def test_what_lands_later_and_is_taken_back_holds(fed: Fed) -> None:
    class UndoesAll(TakesSilenceForNo):
        def give_up(self) -> str:
            self.world.direct.bank.undo_by_key("issue", "c1")
            return "compensated"

    assert CHECK.judge(fed(UndoesAll, None, CREDIT, "bank.issue.1=late")).state is State.HELD
    assert CHECK.judge(fed(UndoesAll, None, CREDIT, "bank.issue.1=lost")).state is State.VIOLATED


def test_a_duplicate_of_the_network_is_not_laid_at_its_door(fed: Fed) -> None:
    class Books(TakesSilenceForNo):
        def credit(self, args: dict[str, Any], _key: str) -> Any:
            room = self.world.direct.hotel.book(guest=args["to"])["id"]
            self.world.direct.hotel.cancel(room=room)
            raise ToolError(422, "full", "the room was taken")

    history = fed(Books, None, CREDIT, "hotel.book.1=duplicate")

    assert len(history.calls[0].effects) == 2
    assert CHECK.judge(history).state is State.HELD


# Told 'ok' --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["503", "timeout", "refused", "late-end"])
def test_told_ok_of_what_was_not_done_is_found(fed: Fed, fault: str) -> None:
    verdict = CHECK.judge(fed(TakesSilenceForYes, None, CREDIT, f"bank.issue.1={fault}"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "told the agent 'ok' of credit (c1), but nothing of that had been done"
    assert verdict.because.endswith("and had not been applied")


def test_an_error_inside_of_an_answer_is_not_ok(fed: Fed) -> None:
    assert CHECK.judge(fed(Dispatcher, None, CREDIT, "bank.issue.1=soft-error")).state is State.VIOLATED


@pytest.mark.parametrize("fault", ["lost", "500-applied", "torn", "duplicate"])
def test_told_ok_of_what_was_done_holds_also_unheard(fed: Fed, fault: str) -> None:
    assert CHECK.judge(fed(TakesSilenceForYes, None, CREDIT, f"bank.issue.1={fault}")).state is State.HELD


def test_a_repetition_that_the_service_absorbs_is_done(fed: Fed) -> None:
    history = fed(Dispatcher, Dispatcher, CREDIT, "bank.issue.1=crash-after")

    assert len(history.effects) == 1
    assert CHECK.judge(history).state is State.HELD


def test_a_write_that_changes_nothing_is_done(fed: Fed) -> None:
    class SetsPriority(Dispatcher):
        def credit(self, _args: dict[str, Any], _key: str) -> Any:
            if "t1" not in self.world.crm.tickets.rows:
                self.world.crm.add_ticket("t1")
            return self.world.direct.crm.set_priority(ticket="t1", priority="low")

    assert CHECK.judge(fed(SetsPriority, None, CREDIT)).state is State.HELD


def test_one_way_of_two_is_enough(fed: Fed) -> None:
    class OtherWay(Dispatcher):
        def credit(self, args: dict[str, Any], key: str) -> Any:
            try:
                return super().credit(args, key)
            except ToolError:
                return self.world.direct.hotel.book(guest=args["to"])

    assert CHECK.judge(fed(OtherWay, None, CREDIT, "bank.issue.1=422")).state is State.HELD


def test_the_same_under_another_call_id_is_done_if_it_was_done_before(fed: Fed) -> None:
    class Known(Dispatcher):
        def credit(self, args: dict[str, Any], key: str) -> Any:
            try:
                return super().credit(args, key)
            except ToolError:
                return "there is one like it"

    twice = Script("twice", (*CREDIT.calls, ToolCall("credit", ISSUE, "c2")))

    assert CHECK.judge(fed(Known, None, twice, "bank.issue.2=409")).state is State.HELD


# What it does not speak of ----------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["503", "timeout", *UNSURE])
def test_unknown_may_always_be_told(fed: Fed, fault: str) -> None:
    class Raises(Dispatcher):
        def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
            return getattr(self, tool)(args, call_id)

    for make in (Dispatcher, Raises):
        history = fed(make, None, CREDIT, f"bank.issue.1={fault}")
        assert CHECK.judge(history).state is State.NOT_REACHED


def test_tools_that_only_read_are_not_judged(fed: Fed) -> None:
    class Looks(TakesSilenceForYes):
        def credit(self, args: dict[str, Any], _key: str) -> Any:
            return self.world.direct.crm.get_ticket(ticket=args["to"])

    assert CHECK.judge(fed(Looks, None, CREDIT, "crm.get_ticket.1=503")).state is State.NOT_REACHED


def test_a_saga_without_an_agent_does_not_reach_it(run: Callable[..., History]) -> None:
    history = run(lambda world: world.direct.bank.issue(**ISSUE) and None)
    assert CHECK.judge(history).state is State.NOT_REACHED


# Steps that overlap -----------------------------------------------------------------------------------------


class Turn(TakesSilenceForNo):
    """Takes the calls of one turn together."""

    def call_all(self, calls: Sequence[ToolCall]) -> list[Any]:
        """One after the other, for all that their agent sees at once."""
        return [self.call(call.tool, dict(call.args), call.call_id) for call in calls]


class KeylessTurn(Turn):
    """The same without keys."""

    def credit(self, args: dict[str, Any], _key: str) -> Any:
        """Give a credit."""
        return self.world.direct.bank.issue(**args)


TOGETHER = Script(
    "together",
    ((ToolCall("credit", ISSUE, "c1"), ToolCall("credit", {"to": "bob", "amount": 4}, "c2")),),
)


def test_calls_of_one_turn_are_told_apart_by_the_call_id_in_their_key(fed: Fed) -> None:
    found = CHECK.judge(fed(Turn, None, TOGETHER, "bank.issue.2=lost"))
    assert found.claim == "told the agent 'failed' of credit (c2), but bank.issue cr_2 (4) stood"
    assert CHECK.judge(fed(Turn, None, TOGETHER, "bank.issue.2=503")).state is State.HELD


def test_calls_of_one_turn_without_a_key_are_left_out(fed: Fed) -> None:
    assert CHECK.judge(fed(KeylessTurn, None, TOGETHER, "bank.issue.2=lost")).state is State.NOT_REACHED
