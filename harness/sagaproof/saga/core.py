"""What all parts of one running saga share: its state, the journal, the tools, and what is in flight."""

from __future__ import annotations

import logging
import threading
from asyncio import CancelledError
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from pydantic_core import to_jsonable_python

from sagaproof.saga.classify import Verdict, classify, classify_undo
from sagaproof.saga.desk import Desk
from sagaproof.saga.journal import Journal, JournalError, Superseded
from sagaproof.saga.lease import ATTEMPTS_MAX, LEASE_S, Lease, LeasedJournal
from sagaproof.saga.port import Latch, Port
from sagaproof.saga.record import Kind, NotJson, Record
from sagaproof.saga.retry import Retry
from sagaproof.saga.state import SagaState, StepState
from sagaproof.saga.step import Step
from sagaproof.saga.tool import Tool

__all__ = ["WITHIN", "Core", "Setup", "copied", "described"]

WITHIN: ContextVar[str | None] = ContextVar("WITHIN", default=None)
"""The saga of which a call is being made here: it cannot be ended from inside, for it waits for its calls."""

_LOG: Final = logging.getLogger("sagaproof.saga")

_NO_END: Final = (NotJson, CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)


@dataclass(frozen=True, slots=True)
class Setup:
    """What all sagas of one runtime have in common."""

    tools: Mapping[str, Tool]
    journal: Journal
    port: Port
    desk: Desk
    desk_retry: Retry
    before_pivot: Callable[..., Any] | None
    clock: Callable[[], float]
    approval: bool | Callable[..., Any] = False
    approval_lifetime_s: float | None = None
    leases: LeasedJournal | None = None
    lease_s: float = LEASE_S
    attempts_max: int = ATTEMPTS_MAX


@dataclass(slots=True, weakref_slot=True, eq=False)
class Core:
    """One saga at work. All that has to outlive the process is in `state`, which only `write` changes.

    `unheard` are the steps that are done and of which the agent was not told: their outcome was found out
    when it was not waiting, or another process may have died before it could tell.
    """

    setup: Setup
    state: SagaState
    lock: threading.RLock = field(default_factory=threading.RLock)
    flying: set[str] = field(default_factory=set)
    unheard: set[str] = field(default_factory=set)
    counted: int = 0
    original: BaseException | None = None
    last_failure: str | None = None
    is_ending: bool = False
    is_recovering: bool = False
    lease: Lease | None = None
    stopped: JournalError | None = None
    again_at: dict[str, float] = field(default_factory=dict)
    _latches: list[Latch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.unheard |= self.state.unheard.keys()

    def write(self, kind: Kind, body: dict[str, Any]) -> None:
        """Append a record and take it into the state. What the journal did not take has not happened."""
        with self.lock:
            record, number = Record(kind, body), self.state.number + 1
            try:
                self._append(number, record)
            except BaseException as error:
                self._let_go_after(error)
                raise
            self.state.apply(record)

    def _append(self, number: int, record: Record) -> None:
        saga, leases = self.state.id, self.setup.leases
        if leases is None:
            return self.setup.journal.append(saga, number, record)
        if record.kind == "decision" and self.lease is None:
            # What a person says is kept whoever is at work on the saga, who finds it there.
            return leases.append(saga, number, record)
        leases.append(saga, number, record, self.lease or self.claim(leases))
        if record.kind == "closed":
            self.lease = None
        return None

    def begin(self, body: dict[str, Any]) -> None:
        """Append the first record; raises `Superseded` if there is one. The saga is claimed with it."""
        record, leases = Record("started", body), self.setup.leases
        if leases is None:
            self.setup.journal.append(self.state.id, 1, record)
        else:
            self.lease = leases.begin(self.state.id, record, self.setup.lease_s)
        self.state.apply(record)

    def claim(self, leases: LeasedJournal) -> Lease:
        """Be the one who drives the saga from here on; raises `Leased`, or `Superseded` if it has gone on."""
        lease = leases.claim(self.state.id, self.setup.lease_s)
        if lease.number != self.state.number:
            leases.release(lease)
            raise Superseded(self.state.id, self.state.number + 1)
        self.lease = lease
        return lease

    def let_go(self) -> None:
        """Give the lease back, if there is one; what is written later claims the saga anew."""
        lease, self.lease = self.lease, None
        if lease is not None and self.setup.leases is not None:
            self.setup.leases.release(lease)

    def confirm(self) -> None:
        """Before anything is sent: see that nobody else drives the saga by now."""
        leases = self.setup.leases
        if leases is None:
            return
        with self.lock:
            try:
                if self.lease is None:
                    self.claim(leases)
                else:
                    leases.confirm(self.lease)
            except JournalError as error:
                self.stopped = error
                self._let_go_after(error)
                raise

    async def send(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call something that may change the world, or on the answer of which the journal will rely."""
        self.confirm()
        try:
            return await self.setup.port.call(function, *args, **kwargs)
        except BaseException as error:
            if not isinstance(error, Exception):
                self._let_go_after(error)
            raise

    def _let_go_after(self, error: BaseException) -> None:
        """Let others of this process take the saga after an error that ends this runner, or may.

        That is a journal that failed, or what is no error of a tool but the end of the process, played by a
        test perhaps. Whether a traceback keeps this runner in memory does not matter then; if it goes on
        nevertheless, its epoch says whether it may.
        """
        if self.lease is not None and not isinstance(error, _NO_END):
            self.lease.abandon()

    def unless_stopped(self, judge: Callable[[Exception], Verdict]) -> Callable[[Exception], Verdict]:
        """The judge, which is not asked for what stops this runner: that ends all attempts as it is."""
        return partial(_unless_stopped, self, judge)

    @property
    def is_busy(self) -> bool:
        """Whether this process is at work on it right now."""
        return bool(self.flying) or self.is_ending or self.is_recovering

    @property
    def is_over(self) -> bool:
        """Whether it takes no more calls: it has ended, or an ending has begun."""
        state = self.state
        return self.is_ending or state.is_unwinding or state.case is not None or state.status is not None

    def tool(self, step: StepState) -> Tool | None:
        """The tool of a step; after a restart it may be registered no more."""
        return self.setup.tools.get(step.tool)

    def view(self, step: StepState) -> Step:
        """The step for a hook: a copy, with which it may do as it likes."""
        return Step(
            saga=self.state.id,
            call_id=step.call_id,
            tool=step.tool,
            args=copied(step.args),
            key=step.key,
            undo_key=step.undo_key,
            before=copied(step.before),
            answer=copied(step.answer),
            ref=copied(step.ref),
        )

    def judge(self, tool: Tool, *, undo: bool = False) -> Callable[[Exception], Verdict]:
        """How errors of a tool are classified: as the tool says, else as usual."""
        usual = classify_undo if undo else classify
        errors = tool.errors
        return self.unless_stopped(usual if errors is None else partial(_judged, errors, usual))

    def count(self) -> str:
        """The next call id, for a call that came without one."""
        with self.lock:
            self.counted += 1
            return f"call_{self.counted}"

    def is_remembered(self, tool: Tool, since: float) -> bool:
        """Whether a key sent then is still known to the service: else "not there" means nothing."""
        lifetime = tool.key_lifetime_s
        return lifetime is None or self.setup.clock() - since < lifetime

    def land(self, call_id: str) -> None:
        """A call is in flight no more."""
        with self.lock:
            self.flying.discard(call_id)
        if self._latches:
            self.wake()

    async def idle(self) -> None:
        """Wait until no call is in flight."""
        while True:
            with self.lock:
                if not self.flying:
                    return
                latch = self.awaited()
            await latch.wait()

    def awaited(self) -> Latch:
        """A latch that the next `wake` opens; ask for it under the lock."""
        latch = self.setup.port.latch()
        self._latches.append(latch)
        return latch

    def wake(self) -> None:
        """Let those who wait look again."""
        with self.lock:
            latches, self._latches = self._latches, []
        for latch in latches:
            latch.open()


def _unless_stopped(core: Core, judge: Callable[[Exception], Verdict], error: Exception) -> Verdict:
    if error is core.stopped:
        raise error
    return judge(error)


def _judged(
    errors: Callable[[Exception], Verdict | None], usual: Callable[[Exception], Verdict], error: Exception
) -> Verdict:
    try:
        said = errors(error)
    except Exception:  # noqa: BLE001 - a caller's function
        # An unwind has to come to its end even so.
        _LOG.exception("the errors= of a tool failed on %s; it is judged as usual", described(error))
        said = None
    return said or usual(error)


def copied(value: Any) -> Any:
    """The value as plain JSON that shares nothing with the original; raises `ValueError` if it has none."""
    return to_jsonable_python(value)


def described(error: BaseException) -> str:
    """An error on one line, also one whose text cannot be had."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - a caller's class, whose text may do anything
        text = "(its text cannot be read)"
    name = type(error).__name__
    return f"{name}: {text}" if text else name
