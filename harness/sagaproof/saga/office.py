"""All sagas of one runtime: begun, taken up after a restart, their cases sent again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakValueDictionary

from sagaproof.saga.core import Core, Setup
from sagaproof.saga.desk import Desk, LogDesk
from sagaproof.saga.errors import SagaMisuse, ToolMistake
from sagaproof.saga.escalate import send_case
from sagaproof.saga.journal import Journal, Superseded
from sagaproof.saga.port import Port
from sagaproof.saga.recover import pursue
from sagaproof.saga.retry import Retry
from sagaproof.saga.state import SagaState
from sagaproof.saga.steady import SteadyClock
from sagaproof.saga.tool import Tool

__all__ = ["DESK_RETRY", "Office", "setup_of"]

DESK_RETRY = Retry(attempts=6)
"""How often the desk is tried at once. After that the case waits for the next `send_cases` or `recover`."""


def setup_of(
    tools: Iterable[Tool],
    journal: Journal,
    port: Port,
    *,
    desk: Desk | None,
    desk_retry: Retry,
    before_pivot: Callable[..., Any] | None,
    clock: Callable[[], float] | None,
) -> Setup:
    """The setup of a runtime. Raises `ToolMistake` if two tools have one name."""
    named: dict[str, Tool] = {}
    for tool in tools:
        if not isinstance(tool, Tool):
            raise ToolMistake(f"{tool!r} is no Tool. Decorate the function with @tool(cls=...)")
        if tool.name in named:
            raise ToolMistake(f"two tools are called {tool.name!r}. Pass name=... to one of them")
        named[tool.name] = tool
    if not isinstance(journal, Journal):
        raise SagaMisuse(f"journal={journal!r} is no journal. Pass SqliteJournal(path)")
    return Setup(named, journal, port, desk or LogDesk(), desk_retry, before_pivot, clock or SteadyClock())


class Office:
    """The sagas of one runtime. Those that somebody holds are kept track of, so that none is run twice."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._live: WeakValueDictionary[str, Core] = WeakValueDictionary()

    def start(self, saga: str, goal: str | None) -> Core:
        """Begin a saga. Raises `SagaMisuse` if the id is in use, be it by one that has ended."""
        core = Core(self.setup, SagaState(saga))
        try:
            core.write("started", {"goal": goal, "at": self.setup.clock()})
        except Superseded as error:
            raise SagaMisuse(
                f"there is a saga {saga!r} already. Take it up with recover(), or give this one another id"
            ) from error
        self._live[saga] = core
        return core

    def find(self, saga: str) -> Core:
        """A saga as it stands, ended or not. Raises `SagaMisuse` if there is none."""
        live = self._live.get(saga)
        if live is not None:
            with live.lock:  # between a write and its fold, the journal is ahead
                if live.state.number >= len(self.setup.journal.read(saga)):
                    return live
        records = self.setup.journal.read(saga)
        if not records:
            raise SagaMisuse(f"there is no saga {saga!r} in the journal")
        core = self._live[saga] = Core(self.setup, SagaState.of(saga, records))
        return core

    async def resume(self, saga: str, goal: str | None) -> Core:
        """Take up one saga, or begin it."""
        if not self.setup.journal.read(saga):
            return self.start(saga, goal)
        core = self.find(saga)
        if not core.is_busy:
            await pursue(core)
        return core

    async def recover(self) -> list[Core]:
        """Take up each saga that is not closed; all of them, in the state in which they are now.

        One that cannot be taken up keeps none of the others from it: the errors are raised at the end, as
        one group.
        """
        found, errors = [], []
        for saga in self.setup.journal.open_sagas():
            try:
                core = self.find(saga)
                if not core.is_busy:
                    await pursue(core)
                found.append(core)
            except Exception as error:  # noqa: BLE001 - raised below, when the others have been taken up
                error.add_note(f"while the saga {saga!r} was recovered")
                errors.append(error)
        if errors:
            raise ExceptionGroup(f"{len(errors)} sagas could not be recovered, {len(found)} were", errors)
        return found

    async def send_cases(self) -> int:
        """Send the cases that the desk has not taken yet; how many are still waiting."""
        waiting = 0
        for saga in self.setup.journal.open_sagas():
            core = self.find(saga)
            if core.state.status is not None and core.state.case is not None and not core.is_busy:
                waiting += not await send_case(core)
        return waiting
