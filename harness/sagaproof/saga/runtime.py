"""The runtime for sync code: tools, a journal and a desk, and the sagas that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sagaproof.saga.desk import Desk
from sagaproof.saga.errors import SagaMisuse
from sagaproof.saga.journal import Journal
from sagaproof.saga.office import DESK_RETRY, Office, setup_of
from sagaproof.saga.pivot import PivotView
from sagaproof.saga.port import SyncPort, drive, is_async
from sagaproof.saga.retry import Retry
from sagaproof.saga.saga import Saga
from sagaproof.saga.tool import Tool

__all__ = ["Runtime"]


class Runtime:
    """Starts sagas and takes them up again after a restart: call `recover()` first thing in a new process.

    `before_pivot(view)` is asked before the first irreversible call and each one after it: it returns None
    to let it pass, or the reason why not. `clock` gives seconds since the epoch. Cases go to `desk`, by
    default to the log.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        journal: Journal,
        desk: Desk | None = None,
        desk_retry: Retry = DESK_RETRY,
        before_pivot: Callable[[PivotView], str | None] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        port = SyncPort()
        tools = [_sync(tool) for tool in tools]
        self._office = Office(
            setup_of(
                tools,
                journal,
                port,
                desk=desk,
                desk_retry=desk_retry,
                before_pivot=before_pivot,
                clock=clock,
            )
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, for handing them to a model."""
        return tuple(self._office.setup.tools.values())

    def start(self, saga: str, *, goal: str | None = None) -> Saga:
        """Begin a saga. Raises `SagaMisuse` if the id is in use, be it by one that has ended."""
        return Saga(self._office.start(saga, goal))

    def saga(self, saga: str) -> Saga:
        """A saga as it stands, ended or not; it is not taken up. Raises `SagaMisuse` if there is none."""
        return Saga(self._office.find(saga))

    def resume(self, saga: str, *, goal: str | None = None) -> Saga:
        """Take one saga up where its journal ends, or begin it if there is none: for work that is restarted.

        It may be ending or have ended: then calls are refused, and `finish` gives the ending.
        """
        return Saga(drive(self._office.resume(saga, goal)))

    def recover(self) -> list[Saga]:
        """Take up what an earlier process left: unwind on, send cases, look what became of open calls.

        Gives the sagas that were running, to be gone on with (same call ids), finished or given up. May be
        called again, and may crash. Sagas at work in this runtime are left alone. Raises an
        `ExceptionGroup`, after all others were taken up, if some could not be.
        """
        cores = drive(self._office.recover())
        return [Saga(core) for core in cores if core.state.status is None]

    def send_cases(self) -> int:
        """Send the cases that the desk has not taken so far; how many are still waiting."""
        return drive(self._office.send_cases())


def _sync(tool: Tool) -> Tool:
    for what, function in tool.hooks().items():
        if is_async(function):
            raise SagaMisuse(
                f"the {what} of tool {tool.name!r} is async, and this runtime is not: use AsyncRuntime"
            )
    return tool
