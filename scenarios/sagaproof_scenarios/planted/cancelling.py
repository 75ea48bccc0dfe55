"""The right saga in asyncio, under a deadline, and how a cancellation passes an unwind by (K17, K29).

A deadline cancels whatever the saga is waiting for: here the pause between two attempts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sagaproof import Scenario, Script, ToolCall, World
from sagaproof.planted import Planted
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.sending import Answer, Result, send
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER, SYSTEMS, set_up

__all__ = ["BOOKS", "PLANTED", "PassesItOn", "Patient", "dispatcher", "under_deadline"]

_DEADLINE_S = 8.0
_OUTER_DEADLINE_S = 25.0


class Failed(Exception):
    """A step has failed."""


class Patient(Reference):
    """The right saga: the deadline is on the steps alone; the unwind runs outside of it, to its end."""

    reraises: ClassVar[bool] = False

    async def run_to_deadline(self) -> str:
        """Make the steps within the deadline; if one fails, or it passes, unwind."""
        try:
            async with asyncio.timeout(_DEADLINE_S):
                await self.make_steps()
        except (Failed, TimeoutError):
            claim = await self.unwind_fully()
            if self.reraises:
                raise
            return claim
        except asyncio.CancelledError:
            await self.unwind_fully()
            raise
        return self.end("completed")

    async def unwind_fully(self) -> str:
        """Unwind to the end, whoever is cancelled meanwhile; the cancellation goes on after that."""
        unwinding = asyncio.ensure_future(self.unwind_slowly())
        cancelled: asyncio.CancelledError | None = None
        while not unwinding.done():
            try:
                await asyncio.shield(unwinding)
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled
        return unwinding.result()

    async def make_steps(self) -> None:
        """One after the other."""
        for step in self.steps:
            await self.make(step)

    async def make(self, step: Step) -> Entry:
        """Make one step. Raises `Failed`."""
        entry = self.begin(step)
        needs = entry.step.handle
        self.settle(entry, await _send(lambda: self.call(entry), self.attempts, needs, entry.at))
        self.note(entry)
        if entry.state != "done":
            raise Failed(self.cause)
        return entry

    async def unwind_slowly(self) -> str:
        """Undo, newest first; what is left is told to a person."""
        self.cause = self.cause or "the deadline has passed"
        self.enter("aborting")
        for entry in self.to_undo():
            await self.undo_slowly(entry)
        return self.escalate() if any(e.may_stand for e in self.entries.values()) else self.end("compensated")

    async def undo_slowly(self, entry: Entry) -> None:
        """Undo one by key."""
        system = getattr(self.world.direct, entry.step.system)
        undo = lambda: system.undo_by_key(entry.step.operation, entry.key) or {}  # noqa: E731
        if entry.state == "lapsed":
            result = Result("lapsed", error=entry.error)
        else:
            result = await _send(undo, self.undo_attempts, "state", entry.at)
        entry.state, entry.error = ("undone", "") if result.is_undone else ("left", result.error)
        self.note(entry)


class PassesItOn(Patient):
    """The right saga that unwinds to the end and then raises what ended it."""

    reraises: ClassVar[bool] = True


class ExceptException(Patient):
    """Unwinds on `Exception`, which a cancellation is not."""

    async def run_to_deadline(self) -> str:
        """The deadline is around it all."""
        async with asyncio.timeout(_DEADLINE_S):
            try:
                await self.make_steps()
            except Exception:  # noqa: BLE001  # the bug: `CancelledError` is a `BaseException`
                return await self.unwind_slowly()
        return self.end("completed")


class UnwindsInScope(Patient):
    """Unwinds on cancellation, but under a deadline that cancels the unwind as well."""

    async def run_to_deadline(self) -> str:
        """Two deadlines, one in the other."""
        async with asyncio.timeout(_OUTER_DEADLINE_S):
            return await super().run_to_deadline()

    async def unwind_fully(self) -> str:
        """The bug: whoever cancels it stops it halfway."""
        return await self.unwind_slowly()


async def _send(call: Callable[[], Answer], attempts: int, needs: str, since: float) -> Result:
    """`send`, with pauses that let others run and can be cancelled."""
    doubt = ""
    for attempt in range(1, attempts + 1):
        if attempt > 1:
            await asyncio.sleep(2.0**attempt)
        result = send(lambda _: call(), 1, needs=needs, since=since)
        if result.state in {"refused", "lapsed"} and doubt:
            return result._replace(state={"refused": "unknown"}.get(result.state, "lapsed"))
        if result.state != "unknown":
            return result
        doubt = doubt or result.error
    return Result("unknown", error=doubt)


@dataclass
class Told:
    """What the agent is told of a call."""

    outcome: str
    value: Any = None
    text: str = ""


class Dispatcher:
    """The right dispatcher of an agent: of a call that was cancelled it says that nothing is known."""

    cancelled = Told("unknown", text="cancelled; it may have been executed")

    def __init__(self, saga: Patient) -> None:
        self._saga = saga

    async def call(self, _tool: str, _args: dict[str, Any], _call_id: str) -> Told:
        """Book, as long as the user waits."""
        try:
            async with asyncio.timeout(_DEADLINE_S):
                return Told("ok", (await self._saga.make(BOOKING)).answer)
        except TimeoutError:
            return self.cancelled
        except Failed as error:
            return Told("unknown", text=str(error))

    async def give_up(self) -> str:
        """Unwind."""
        return await self._saga.unwind_fully()

    async def finish(self) -> str:
        """The end."""
        return self._saga.end("completed")


class Rejecting(Dispatcher):
    """Says of a call that was cancelled that it was not executed."""

    cancelled = Told("failed", text="rejected by user, NOT executed")


def under_deadline(
    made: type[Patient], steps: Sequence[Step] = (CUSTOMER, BOOKING)
) -> Callable[[World], Any]:
    """The body that runs such a saga."""

    async def body(world: World) -> str:
        set_up(world)
        return await made(world, steps, []).run_to_deadline()

    return body


def dispatcher(world: World) -> Dispatcher:
    """The right one."""
    set_up(world)
    return Dispatcher(Patient(world, (BOOKING,), []))


def _rejecting(world: World) -> Rejecting:
    set_up(world)
    return Rejecting(Patient(world, (BOOKING,), []))


def _plant(name: str, bug: str, story: str, expect: Sequence[str], faults: int = 1, **parts: Any) -> Planted:
    return Planted(name, bug, story, Scenario(name, story, SYSTEMS, **parts), tuple(expect), faults)


_K17 = "K17 CANCEL-BYPASS"
_ORPHAN = ("no-silent-residue", "cancellation-safe")
BOOKS = Script("books", (ToolCall("book", {}, "call_1"),))

PLANTED = (
    _plant("M35", _K17, "A cancellation passes `except Exception` by: nothing is unwound.", _ORPHAN,
           body=under_deadline(ExceptException)),
    _plant("M36", _K17, "The unwind runs under a deadline that cancels it halfway.", _ORPHAN, 2,
           body=under_deadline(UnwindsInScope)),
    _plant("M62", "K29 AGENT-MISTOLD", "A call is cancelled while it runs; the agent is told 'not executed'.",
           ("truthful-to-agent",), agent=_rejecting, scripts=(BOOKS,)),
)  # fmt: skip
