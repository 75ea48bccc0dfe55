"""The async runtime is the same runtime; a cancellation loses nothing and stops no unwind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest

from sagaproof.saga import (
    AsyncRuntime,
    AsyncSaga,
    Call,
    Case,
    Outcome,
    Retry,
    SqliteJournal,
    Step,
    Tool,
)


@dataclass
class Bank:
    """Async services that can be held up."""

    done: list[str] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    entered: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def credit(self, what: str, *, key: str) -> dict[str, str]:
        self.done.append(what)
        await self.pause(what)
        return {"id": key}

    async def undo(self, step: Step) -> None:
        await self.pause(f"undo {step.args['what']}")
        self.undone.append(step.args["what"])

    async def pause(self, what: str) -> None:
        if what.startswith("slow"):
            self.entered.set()
            await self.go_on.wait()

    def start(self, **options: Any) -> AsyncSaga:
        usual: dict[str, Any] = {
            "cls": 4,
            "undo": self.undo,
            "undo_by_key": True,
            "ref": "id",
            "retry": Retry(2, wait_s=0),
        }
        tools = [Tool(self.credit, name="credit", **{**usual, **options}), Tool(len_of, cls=1)]
        return AsyncRuntime(tools, journal=SqliteJournal(":memory:")).start("order")


def len_of(text: str) -> int:
    return len(text)


async def credit(saga: AsyncSaga, what: str) -> Outcome:
    return (await saga.call("credit", {"what": what})).outcome


@pytest.mark.asyncio
async def test_calls_undos_and_the_end_are_awaited() -> None:
    bank = Bank()
    saga = bank.start()
    assert await credit(saga, "a") is Outcome.OK
    assert await credit(saga, "b") is Outcome.OK
    assert (await saga.give_up()).status == "compensated"
    assert bank.undone == ["b", "a"]


@pytest.mark.asyncio
async def test_a_sync_tool_does_not_hold_the_loop_up() -> None:
    assert (await Bank().start().call("len_of", {"text": "four"})).value == 4


@pytest.mark.asyncio
async def test_the_calls_of_one_turn_run_at_the_same_time() -> None:
    bank = Bank()
    saga = bank.start()
    turn = asyncio.ensure_future(saga.call_all([Call("credit", {"what": w}) for w in ("slow", "b")]))
    await bank.entered.wait()
    await asyncio.sleep(0)
    assert bank.done == ["slow", "b"]
    bank.go_on.set()
    assert [result.ok for result in await turn] == [True, True]


@pytest.mark.asyncio
async def test_giving_up_waits_for_what_is_in_flight() -> None:
    bank = Bank()
    saga = bank.start()
    call = asyncio.ensure_future(credit(saga, "slow"))
    await bank.entered.wait()
    end = asyncio.ensure_future(saga.give_up())
    await asyncio.sleep(0.001)
    assert not end.done()
    assert await credit(saga, "b") is Outcome.FAILED
    bank.go_on.set()
    assert await call is Outcome.OK
    await end
    assert bank.undone == ["slow"]


@pytest.mark.asyncio
async def test_a_cancelled_call_is_unknown_and_is_undone() -> None:
    bank = Bank()
    saga = bank.start()

    async def body() -> None:
        async with saga:
            await credit(saga, "slow")

    task = asyncio.ensure_future(body())
    await bank.entered.wait()
    bank.go_on.set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert saga.ending is not None
    assert saga.ending.status == "compensated"
    assert bank.undone == ["slow"]


@pytest.mark.asyncio
async def test_a_cancelled_turn_leaves_no_call_behind() -> None:
    bank = Bank()
    saga = bank.start()
    turn = asyncio.ensure_future(saga.call_all([Call("credit", {"what": w}) for w in ("slow", "slow too")]))
    await bank.entered.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    bank.go_on.set()
    assert [step.outcome for step in (await saga.give_up()).steps] == ["unknown", "unknown"]
    assert len(bank.undone) == 2


@pytest.mark.asyncio
async def test_cancellations_while_it_unwinds_do_not_stop_it() -> None:
    bank = Bank()
    saga = bank.start(undo=_slow_undo(bank))
    for what in ("a", "b"):
        await credit(saga, what)
    end = asyncio.ensure_future(saga.give_up())
    await bank.entered.wait()
    for _ in range(3):
        end.cancel()
        await asyncio.sleep(0)
    assert not end.done()
    bank.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await end
    assert bank.undone == ["b", "a"]
    assert saga.ending is not None
    assert saga.ending.status == "compensated"


def _slow_undo(bank: Bank) -> Callable[[Step], Coroutine[Any, Any, None]]:
    async def undo(step: Step) -> None:
        await bank.pause("slow")
        bank.undone.append(step.args["what"])

    return undo


@pytest.mark.asyncio
async def test_two_that_end_a_saga_at_once_get_the_same_ending() -> None:
    bank = Bank()
    saga = bank.start()
    await credit(saga, "a")
    first, second = await asyncio.gather(saga.give_up("one"), saga.finish())
    assert first == second
    assert bank.undone == ["a"]


@pytest.mark.asyncio
async def test_an_async_desk_is_awaited() -> None:
    cases: list[str] = []

    class AsyncDesk:
        async def open(self, case: Case, key: str) -> str:
            await asyncio.sleep(0)
            cases.append(f"{key} {case.saga}")
            return "4711"

    tool = Tool(Bank().credit, cls=5, name="mail", retry=Retry(1))
    saga = AsyncRuntime([tool], journal=SqliteJournal(":memory:"), desk=AsyncDesk()).start("order")
    await saga.call("mail", {"what": "m"})
    assert (await saga.give_up()).case_sent
    assert cases == ["order/case order"]


@pytest.mark.asyncio
async def test_recovery_goes_on_in_the_same_way() -> None:
    journal, bank = SqliteJournal(":memory:"), Bank()
    tool = Tool(bank.credit, cls=4, name="credit", undo=bank.undo, undo_by_key=True)
    first = AsyncRuntime([tool], journal=journal).start("order")
    await first.call("credit", {"what": "a"}, call_id="x")
    del first  # as if the process had ended
    (saga,) = await AsyncRuntime([tool], journal=journal).recover()
    assert (await saga.call("credit", {"what": "a"}, call_id="x")).ok
    assert (await saga.give_up()).status == "compensated"
    assert (bank.done, bank.undone) == (["a"], ["a"])
