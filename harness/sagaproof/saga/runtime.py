"""The runtime for sync code: tools, a journal and a desk, and the sagas that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sagaproof.saga.decision import Decision
from sagaproof.saga.desk import Desk
from sagaproof.saga.errors import SagaMisuse
from sagaproof.saga.journal import Journal
from sagaproof.saga.lease import ATTEMPTS_MAX, LEASE_S, ParkedSaga
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
    default to the log. With `approval` each irreversible call waits until a person has approved it (a
    function of the same view says which), and what was approved can be used for `approval_lifetime_s`.

    `lease_s` is how long a runner may stand still before others take its sagas, `attempts_max` how often a
    saga is taken up in vain before it is parked.
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
        approval: bool | Callable[[PivotView], bool] = False,
        approval_lifetime_s: float | None = None,
        lease_s: float = LEASE_S,
        attempts_max: int = ATTEMPTS_MAX,
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

    def start(self, saga: str, *, goal: str | None = None) -> Saga:
        """Begin a saga. Raises `SagaMisuse` if the id is in use, be it by one that has ended."""
        return Saga(self._office.start(saga, goal))

    def saga(self, saga: str) -> Saga:
        """A saga as it stands, ended or not; it is not taken up. Raises `SagaMisuse` if there is none."""
        return Saga(self._office.find(saga))

    def resume(self, saga: str, *, goal: str | None = None) -> Saga:
        """Take one saga up where its journal ends, or begin it if there is none: for work that is restarted.

        It may be ending or have ended: then calls are refused, and `finish` gives the ending. Raises `Leased`
        if another runner holds it, `Parked` if it is left alone until `retry`.
        """
        return Saga(drive(self._office.resume(saga, goal)))

    def recover(self) -> list[Saga]:
        """Take up what an earlier process left: unwind on, send cases, look what became of open calls.

        Gives the sagas that were running, to be gone on with (same call ids), finished or given up. May be
        called again, and may crash. Sagas at work in this runtime, those that another runner holds, and those
        that are parked are left alone. Raises an `ExceptionGroup`, after all others were taken up, if some
        could not be, and `UnreadableJournal` if none can: the desk is told of that.
        """
        cores = drive(self._office.recover())
        return [Saga(core) for core in cores if core.state.status is None]

    def decide(
        self,
        saga: str,
        decision: Decision,
        *,
        by: str,
        id: str | None = None,  # noqa: A002 - what people call it
        case: int | None = None,
    ) -> Saga:
        """Carry out what a person decided about a saga: its case, or a call that waits for approval.

        The decision is in the journal before anything is done. Once it is there, the same `id`, or the same
        decision about the same case, does nothing more. `case` is the number of the case that was read, by
        default the last one. Raises `DecisionRefused` if it cannot be taken. If what was decided cannot be
        carried out, the ending is `escalated` with a new case.
        """
        return Saga(drive(self._office.decide(saga, decision, by, id, case)))

    def parked(self) -> list[ParkedSaga]:
        """The sagas that are left alone, since they cannot be read or were taken up in vain too often.

        The desk has a case of each. They are open until `retry` brings them on.
        """
        return self._office.parked()

    def retry(self, saga: str) -> Saga:
        """Take up a saga that is parked, when what was in its way is mended: it gets all its attempts anew.

        Raises `Parked`, and the desk has a new case, if it still cannot be read. One that is not parked is
        taken up as by `resume`.
        """
        return Saga(drive(self._office.retry(saga)))

    def close(self) -> None:
        """Give back the sagas that are not at work, so that other runners may take them at once.

        A process that ends, however, need not do this. A saga that is used again afterwards is claimed anew.
        """
        self._office.close()

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
