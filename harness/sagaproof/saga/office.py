"""All sagas of one runtime: begun, taken up after a restart, their cases sent again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final
from weakref import WeakValueDictionary

from sagaproof.saga.approval import send_questions
from sagaproof.saga.core import Core, Setup
from sagaproof.saga.decision import Decision, DecisionRefused
from sagaproof.saga.decision_entry import enter
from sagaproof.saga.decision_work import carry_on
from sagaproof.saga.desk import Desk, LogDesk
from sagaproof.saga.errors import SagaMisuse, ToolMistake
from sagaproof.saga.escalate import send_case
from sagaproof.saga.journal import Journal, JournalError, Leased, Parked, Superseded, UnreadableJournal
from sagaproof.saga.key import key_of
from sagaproof.saga.lease import ATTEMPTS_MAX, LEASE_S, LeasedJournal, ParkedSaga
from sagaproof.saga.lease_takeover import Takeover, readable
from sagaproof.saga.parking import tell, tell_of_file
from sagaproof.saga.port import Port
from sagaproof.saga.recover import pursue
from sagaproof.saga.retry import Retry
from sagaproof.saga.state import SagaState
from sagaproof.saga.steady import SteadyClock
from sagaproof.saga.tool import Tool
from sagaproof.saga.write_off import write_off, written_off

__all__ = ["DESK_RETRY", "Office", "setup_of"]

DESK_RETRY = Retry(attempts=6)
"""How often the desk is tried at once. After that the case waits for the next `send_cases` or `recover`."""

_LOG: Final = logging.getLogger("sagaproof.saga")

_ENTRIES: Final = 5
"""How often a decision is judged anew, when another process has written in between."""


def setup_of(
    tools: Iterable[Tool],
    journal: Journal,
    port: Port,
    *,
    desk: Desk | None,
    desk_retry: Retry,
    before_pivot: Callable[..., Any] | None,
    clock: Callable[[], float] | None,
    approval: bool | Callable[..., Any] = False,
    approval_lifetime_s: float | None = None,
    lease_s: float = LEASE_S,
    attempts_max: int = ATTEMPTS_MAX,
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
    if lease_s <= 0 or attempts_max < 1:
        raise SagaMisuse(f"lease_s={lease_s} and attempts_max={attempts_max}: both have to be above 0")
    return Setup(
        named,
        journal,
        port,
        desk or LogDesk(),
        desk_retry,
        before_pivot,
        clock or SteadyClock(),
        approval,
        approval_lifetime_s,
        journal if isinstance(journal, LeasedJournal) else None,
        lease_s,
        attempts_max,
    )


class Office:
    """The sagas of one runtime. Those that somebody holds are kept track of, so that none is run twice."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._live: WeakValueDictionary[str, Core] = WeakValueDictionary()
        self._lock = threading.RLock()

    def start(self, saga: str, goal: str | None) -> Core:
        """Begin a saga. Raises `SagaMisuse` if the id is in use, be it by one that has ended."""
        _require_text(saga)
        core = Core(self.setup, SagaState(saga))
        try:
            core.begin({"goal": goal, "at": self.setup.clock()})
        except Superseded:
            raise SagaMisuse(
                f"there is a saga {saga!r} already. Take it up with recover(), or give this one another id"
            ) from None
        self._live[saga] = core
        return core

    def find(self, saga: str) -> Core:
        """A saga as it stands, ended or not. Raises `SagaMisuse` if there is none."""
        _require_text(saga)
        try:
            return self._find(saga)
        except (UnreadableJournal, SagaMisuse):
            state = written_off(self.setup, saga)
            if state is None:
                raise
            return Core(self.setup, state)

    def _find(self, saga: str) -> Core:
        with self._lock:
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
        """Take up one saga, or begin it. Raises `Leased` or `Parked`."""
        _require_text(saga)
        state, broken = readable(self.setup.journal, saga)
        if broken is not None and not state.number and not self._is_claimed(saga):
            return self.start(saga, goal)
        return await self._take_one(saga)

    async def retry(self, saga: str) -> Core:
        """Take up one saga, parked or not, with all its attempts. Raises `Parked` if that is in vain."""
        _require_text(saga)
        state, broken = readable(self.setup.journal, saga)
        if broken is not None and not state.number and not self._is_claimed(saga):
            raise SagaMisuse(f"there is no saga {saga!r} in the journal")
        return await self._take_one(saga, parked=True)

    async def recover(self) -> list[Core]:
        """Take up each saga that is not closed; those that are running after it.

        One that cannot be taken up keeps none of the others from it: the errors are raised at the end, as
        one group. Those that another runner holds, and those that are parked, are left alone.
        """
        found: list[Core] = []
        errors: list[Exception] = []
        count = 0
        in_use = dict(self._live)
        takeover = self._takeover()
        for saga in await self._open_sagas():
            try:
                core = await self._take(saga, takeover)
            except (Leased, Parked) as error:
                _LOG.info("not recovered: %s", error)
            except Exception as error:  # noqa: BLE001 - raised below, when the others have been taken up
                error.add_note(f"while the saga {saga!r} was recovered")
                errors.append(error)
            else:
                count += 1
                if core.state.status is None:
                    found.append(core)
        if takeover is not None:
            takeover.note()
            if unreadable := next((e for e in errors if isinstance(e, UnreadableJournal)), None):
                await tell_of_file(self.setup, unreadable)
        if errors:
            # The caller does not get those, so the next one who looks has to.
            _hand_back(core for core in found if in_use.get(core.state.id) is not core)
            raise ExceptionGroup(f"{len(errors)} sagas could not be recovered, {count} were", errors)
        return found

    def parked(self) -> list[ParkedSaga]:
        """The sagas that are left alone until they are asked for."""
        return [] if self.setup.leases is None else self.setup.leases.parked()

    def close(self) -> None:
        """Give back what is not at work, so that others need not wait for it."""
        for core in list(self._live.values()):
            with core.lock:
                if not core.is_busy:
                    core.let_go()

    async def decide(
        self, saga: str, decision: Decision, by: str, name: str | None, case: int | None
    ) -> Core:
        """Take a decision, and carry it out; raises `DecisionRefused`."""
        for _ in range(_ENTRIES):
            try:
                if (problem := self._damage(saga)) is not None:
                    write_off(self.setup, saga, problem, decision, by=by, name=name, case=case)
                    self._live.pop(saga, None)
                    return self.find(saga)
                core = self.find(saga)
                enter(core, decision, by, name, case)
            except Superseded:  # somebody has written since it was read: look again
                self._live.pop(saga, None)
                continue
            try:
                await carry_on(core)
            except (Leased, Superseded) as error:  # that one finds it in the journal, or recover() does
                _LOG.warning("decided, and left to the runner that is at work: %s", error)
                return self.find(saga)
            return core
        raise DecisionRefused(
            "contradictory", f"another runner is at work on the saga {saga!r}. Decide again"
        )

    async def send_cases(self) -> int:
        """Send the cases that the desk has not taken yet; how many are still waiting.

        Those of a saga that another runner holds are left to that one, and are waiting.
        """
        sagas = await self._open_sagas()
        left = {parked.saga: parked for parked in self.parked()}
        waiting = sum(not parked.told for parked in left.values())
        for saga in sagas:
            if saga not in left:
                waiting += await self._send_of(saga)
        return waiting

    async def _send_of(self, saga: str) -> int:
        try:
            core = self.find(saga)
            if core.is_busy:
                return 0
            waiting = 0
            if core.state.status is not None and core.state.case is not None:
                waiting += not await send_case(core)
            return waiting + (not await send_questions(core))
        except JournalError as error:  # recover() says what is to be said of it
            _LOG.info("its case was not sent: %s", error)
            return 1

    # Taking up --------------------------------------------------------------------------------------------

    def _takeover(self) -> Takeover | None:
        leases = self.setup.leases
        return None if leases is None else Takeover(self.setup, leases)

    async def _take_one(self, saga: str, *, parked: bool = False) -> Core:
        takeover = self._takeover()
        core = await self._take(saga, takeover, parked=parked)
        if takeover is not None:
            takeover.note()
        return core

    async def _take(self, saga: str, takeover: Takeover | None, *, parked: bool = False) -> Core:
        with self._lock:  # of two threads, one takes it up
            live = self._live.get(saga)
            if live is not None and live.is_busy:
                return live
            if live is not None:
                live.is_recovering = True
        try:
            if takeover is not None:
                return await takeover.take(saga, live, self._live, parked=parked)
            core = await self._found_or_told(saga)
            await pursue(core)
            return core
        finally:
            if live is not None:
                live.is_recovering = False

    async def _found_or_told(self, saga: str) -> Core:
        try:
            return self.find(saga)
        except UnreadableJournal as error:  # a journal that cannot park it
            state, _ = readable(self.setup.journal, saga)
            await tell(self.setup, state, str(error), key_of(saga, "parked"))
            raise

    async def _open_sagas(self) -> list[str]:
        """The sagas to be looked at, after the desk was told of those that are not."""
        try:
            await self._tell_of_parked()
            return self.setup.journal.open_sagas()
        except UnreadableJournal as error:
            await tell_of_file(self.setup, error)
            raise

    def _damage(self, saga: str) -> str | None:
        """What keeps a saga from being read, if anything does."""
        _require_text(saga)
        state, broken = readable(self.setup.journal, saga)
        if broken is None or not (state.number or broken.readable or self._is_claimed(saga)):
            return None
        return str(broken)

    def _is_claimed(self, saga: str) -> bool:
        if self.setup.leases is None:
            return False
        return saga in self.setup.journal.open_sagas() or written_off(self.setup, saga) is not None

    async def _tell_of_parked(self) -> None:
        for parked in self.parked():
            if not parked.told and self.setup.leases is not None:
                state, _ = readable(self.setup.journal, parked.saga)
                if await tell(self.setup, state, parked.reason, parked.key):
                    self.setup.leases.told(parked)


def _require_text(saga: str) -> None:
    """Raise `SagaMisuse` for an id that is no text which can be written down."""
    if not isinstance(saga, str):
        raise SagaMisuse(f"the id of a saga is text, and {saga!r} is not")
    bad = next((place for place, sign in enumerate(saga) if "\ud800" <= sign <= "\udfff"), None)
    if bad is not None:
        raise SagaMisuse(
            f"the id {saga!r} of a saga cannot be written down: character {bad + 1} is half a character "
            "(a lone surrogate). Use an id that UTF-8 can hold"
        )


def _hand_back(cores: Iterable[Core]) -> None:
    for core in cores:
        lease = core.lease
        try:
            core.let_go()
        except JournalError:
            if lease is not None:
                lease.abandon()  # in the journal it ends with its time
