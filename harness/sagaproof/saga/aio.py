"""The same runtime for async code: the same core, over an event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from sagaproof.saga import ending, turn
from sagaproof.saga.admission import Call
from sagaproof.saga.core import Core
from sagaproof.saga.decision import Decision
from sagaproof.saga.desk import Desk
from sagaproof.saga.final import Ending, concluded, ending_of, gives_up
from sagaproof.saga.journal import Journal
from sagaproof.saga.lease import ATTEMPTS_MAX, LEASE_S, ParkedSaga
from sagaproof.saga.loop_port import LoopPort, shielded
from sagaproof.saga.office import DESK_RETRY, Office, setup_of
from sagaproof.saga.pivot import PivotView
from sagaproof.saga.result import Result
from sagaproof.saga.retry import Retry
from sagaproof.saga.tool import Tool

__all__ = ["AsyncRuntime", "AsyncSaga"]


class AsyncSaga:
    """`Saga` for async code: the same methods with `await`, used with `async with`.

    A cancellation inside the block gives the saga up like any exception. An ending that has begun is
    carried through: a cancellation is raised when it is done, so that it never stops an unwind half-way.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def id(self) -> str:
        """The id under which it was started."""
        return self._core.state.id

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that it can be asked for."""
        return tuple(self._core.setup.tools.values())

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it runs."""
        return ending_of(self._core)

    async def call(
        self, tool: str, args: Mapping[str, Any] | None = None, call_id: str | None = None
    ) -> Result:
        """Make one call of the agent; see `Saga.call`. If it is cancelled, its outcome is unknown."""
        return await turn.call(self._core, Call(tool, args or {}, call_id))

    async def call_all(self, calls: Sequence[Call]) -> list[Result]:
        """Make the calls of one turn at the same time; results in the order of the calls."""
        return await turn.call_all(self._core, calls)

    async def give_up(self, cause: BaseException | str | None = None) -> Ending:
        """Undo what was done, newest first, or escalate; see `Saga.give_up`."""
        await shielded(ending.give_up(self._core, cause))
        return concluded(self._core)

    async def finish(self) -> Ending:
        """End well, or escalate what is unknown; see `Saga.finish`."""
        await shielded(ending.finish(self._core))
        return concluded(self._core)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            await self.finish()
        elif gives_up(error):
            await self.give_up(error)

    def __repr__(self) -> str:
        state = self._core.state
        return f"<AsyncSaga {state.id!r}: {len(state.steps)} steps, {state.status or 'running'}>"


class AsyncRuntime:
    """`Runtime` for async code. Tools and hooks may be async; sync ones run in a thread each."""

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        journal: Journal,
        desk: Desk | None = None,
        desk_retry: Retry = DESK_RETRY,
        before_pivot: Callable[..., Any] | None = None,
        clock: Callable[[], float] | None = None,
        approval: bool | Callable[[PivotView], Any] = False,
        approval_lifetime_s: float | None = None,
        lease_s: float = LEASE_S,
        attempts_max: int = ATTEMPTS_MAX,
    ) -> None:
        port = LoopPort()
        self._office = Office(
            setup_of(
                tools,
                journal,
                port,
                desk=desk,
                desk_retry=desk_retry,
                before_pivot=before_pivot,
                clock=clock,
                approval=approval,
                approval_lifetime_s=approval_lifetime_s,
                lease_s=lease_s,
                attempts_max=attempts_max,
            )
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, for handing them to a model."""
        return tuple(self._office.setup.tools.values())

    def start(self, saga: str, *, goal: str | None = None) -> AsyncSaga:
        """Begin a saga; see `Runtime.start`."""
        return AsyncSaga(self._office.start(saga, goal))

    def saga(self, saga: str) -> AsyncSaga:
        """A saga as it stands; see `Runtime.saga`."""
        return AsyncSaga(self._office.find(saga))

    async def resume(self, saga: str, *, goal: str | None = None) -> AsyncSaga:
        """A saga taken up where its journal ends, or a new one; see `Runtime.resume`."""
        return AsyncSaga(await self._office.resume(saga, goal))

    async def recover(self) -> list[AsyncSaga]:
        """Take up what an earlier process left; see `Runtime.recover`."""
        cores = await self._office.recover()
        return [AsyncSaga(core) for core in cores if core.state.status is None]

    async def decide(
        self,
        saga: str,
        decision: Decision,
        *,
        by: str,
        id: str | None = None,  # noqa: A002 - what people call it
        case: int | None = None,
    ) -> AsyncSaga:
        """Carry out what a person decided; see `Runtime.decide`. A cancellation is raised when it is done."""
        return AsyncSaga(await shielded(self._office.decide(saga, decision, by, id, case)))

    def parked(self) -> list[ParkedSaga]:
        """The sagas that are left alone; see `Runtime.parked`."""
        return self._office.parked()

    async def retry(self, saga: str) -> AsyncSaga:
        """Take up a saga that is parked; see `Runtime.retry`."""
        return AsyncSaga(await self._office.retry(saga))

    def close(self) -> None:
        """Give its sagas back; see `Runtime.close`."""
        self._office.close()

    async def send_cases(self) -> int:
        """Send the cases that the desk has not taken so far; how many are still waiting."""
        return await self._office.send_cases()
