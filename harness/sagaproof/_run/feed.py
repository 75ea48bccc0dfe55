"""Feeding a saga the calls of a script, and noting what its agent is told of each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sagaproof._drivers.protocol import Driver
from sagaproof._model.event import Answered, Asked
from sagaproof._model.script import Answer, OtherWrite, Script, ToolCall, Turn, Wait, calls_of
from sagaproof._run.other_write import write_as_another
from sagaproof._run.pytest_outcomes import tells_pytest
from sagaproof._run.steps import done
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import SagaproofError, UsageError

__all__ = ["feed"]

_FAILED: Final = object()
"""The place of an answer that the agent has nothing to go on with."""


async def feed(driver: Driver, world: WorldHandle, script: Script) -> Any:
    """Feed the calls; one that fails makes the agent give up unless it says otherwise, as does the ending.

    If the saga is cancelled during a call, the agent knows nothing of that call, and gives up. Under a fault,
    so it does for an answer that lacks what a later call needs: it has nothing to go on with.
    """
    agent = _Agent(driver, world)
    claim = await _ending(driver, agent, script)
    if script.afterwards:
        await agent.call_afterwards(script.afterwards)
    return claim


async def _ending(driver: Driver, agent: _Agent, script: Script) -> Any:
    for number, turn in enumerate(script.calls, start=1):
        try:
            went_well = await agent.take_turn(turn)
        except asyncio.CancelledError:
            agent.cancelled()
            went_well = False
        agent.has_taken_a_turn()
        if not went_well or script.give_up_after == number:
            return await done(driver, driver.give_up())
    return await done(driver, driver.claim())


class _Agent:
    """The agent of one incarnation: the answers it has so far, in the order of its calls."""

    def __init__(self, driver: Driver, world: WorldHandle) -> None:
        self._driver = driver
        self._world = world
        self._answers: list[Any] = []
        self._by_id: dict[str, int] = {}
        self._waiting: set[int] = set()

    async def take_turn(self, turn: Turn) -> bool:
        """Do what comes next; False if the agent is to give up after it."""
        if isinstance(turn, Wait):
            self._world.gate.process.refuse_the_dead()
            self._world.clock.elapsed += turn.seconds
            return True
        if isinstance(turn, OtherWrite):
            write_as_another(self._world, turn)
            return True
        return await self.take(calls_of(turn))

    async def call_afterwards(self, calls: Sequence[ToolCall]) -> None:
        """Make calls after the end, whatever becomes of them."""
        for call in calls:
            await self.take([call])
            self.has_taken_a_turn()

    def has_taken_a_turn(self) -> None:
        """Let those look who want to see the world between two turns."""
        gate = self._world.gate
        if gate.after_turn is not None and not gate.process.dead:
            gate.after_turn()

    async def take(self, turn: Sequence[ToolCall]) -> bool:
        """Make the calls of one turn, and those instead of what failed; False if it is to give up then."""
        answers = await self._answers_of(turn)
        if answers is None:
            return False
        for call, answer in zip(turn, answers, strict=True):
            if answer is not _FAILED:
                continue
            if not call.tolerates:
                return False
            if isinstance(call.if_failed, tuple):
                for instead in call.if_failed:
                    if not await self.take([instead]):
                        return False
        return True

    async def _answers_of(self, turn: Sequence[ToolCall]) -> list[Any] | None:
        """What the calls of one turn were answered; None if one of them cannot be made at all."""
        try:
            calls = [_filled(call, self._answers, self._by_id) for call in turn]
        except UsageError:
            if not self._world.gate.plan and not any(answer is _FAILED for answer in self._answers):
                raise
            return None
        first = len(self._answers) + 1
        for step, call in enumerate(calls, start=first):
            self._log(Asked(self._now, step, call.tool, call.args, call.call_id))
            self._waiting.add(step)
        answers = [await self._one(calls[0], first)] if len(calls) == 1 else await self._all(calls, first)
        self._answers += answers
        self._by_id |= {call.call_id: step for step, call in enumerate(calls, start=first) if call.call_id}
        return answers

    def cancelled(self) -> None:
        """Note that the calls of this turn were cancelled: nobody was told what came of them."""
        for step in sorted(self._waiting):
            self._log(Answered(self._now, step, "unknown", "cancelled"))
        self._waiting.clear()
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()

    async def _one(self, call: ToolCall, step: int) -> Any:
        try:
            answer = await done(self._driver, self._driver.call(call))
        except SagaproofError:
            raise
        except Exception as error:  # whatever the tool raised is what the agent sees
            if tells_pytest(error):
                raise
            return self._told(step, error)
        return self._told(step, answer)

    async def _all(self, calls: Sequence[ToolCall], first: int) -> list[Any]:
        """One turn of several calls: at once, if the saga can."""
        together = self._driver.call_all(calls)
        if together is not None:
            answers = await done(self._driver, together)
            return [self._told(step, answer) for step, answer in enumerate(answers, start=first)]
        numbered = enumerate(calls, start=first)
        if self._driver.asynchronous:
            return await asyncio.gather(*(self._one(call, step) for step, call in numbered))
        return [await self._one(call, step) for step, call in numbered]

    def _told(self, step: int, answer: Any) -> Any:
        """Note what the agent was told, and return what it goes on with."""
        outcome = _outcome(answer)
        text = str(getattr(answer, "text", answer)) if outcome != "ok" else ""
        self._log(Answered(self._now, step, outcome, text))
        self._waiting.discard(step)
        if outcome != "ok":
            return _FAILED
        return getattr(answer, "value", answer) if hasattr(answer, "outcome") else answer

    def _log(self, event: Asked | Answered) -> None:
        self._world.gate.process.refuse_the_dead()
        self._world.state.log.append(event)

    @property
    def _now(self) -> float:
        return self._world.clock.elapsed


def _outcome(answer: Any) -> str:
    """`ok`, `failed` or `unknown`: what an answer says by its `outcome`, an exception being unknown else."""
    said = getattr(answer, "outcome", None)
    if said is None:
        return "unknown" if isinstance(answer, Exception) else "ok"
    word = str(getattr(said, "value", said)).lower()
    return next((known for known in ("ok", "failed") if word.startswith(known)), "unknown")


def _filled(call: ToolCall, answers: list[Any], by_id: Mapping[str, int]) -> ToolCall:
    """The call with its `Answer` arguments replaced by what the earlier steps returned."""
    args = {name: _lookup(value, answers, by_id) for name, value in call.args.items()}
    return call._replace(args=args)


def _lookup(value: Any, answers: list[Any], by_id: Mapping[str, int]) -> Any:
    if not isinstance(value, Answer):
        return value
    step = by_id.get(value.step, len(answers) + 1) if isinstance(value.step, str) else value.step
    if step < 1:
        raise UsageError(f"the steps of a script are counted from 1, not {step}")
    if step > len(answers):
        raise UsageError(f"the script asks for the answer of step {value.step} before it was made")
    answer = answers[step - 1]
    try:
        return answer[value.field]
    except (KeyError, TypeError) as error:
        said = "nothing to go on with" if answer is _FAILED else repr(answer)
        raise UsageError(
            f"step {value.step} answered {said}, which has no {value.field!r}",
            advice="Name a field of the answer in Answer(step, field).",
        ) from error
