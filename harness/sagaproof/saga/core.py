"""What all parts of one running saga share: its state, the journal, the tools, and what is in flight."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from pydantic_core import to_jsonable_python

from sagaproof.saga.classify import Verdict, classify, classify_undo
from sagaproof.saga.desk import Desk
from sagaproof.saga.journal import Journal
from sagaproof.saga.port import Latch, Port
from sagaproof.saga.record import Kind, Record
from sagaproof.saga.retry import Retry
from sagaproof.saga.state import SagaState, StepState
from sagaproof.saga.step import Step
from sagaproof.saga.tool import Tool

__all__ = ["WITHIN", "Core", "Setup", "copied", "described"]

WITHIN: ContextVar[str | None] = ContextVar("WITHIN", default=None)
"""The saga of which a call is being made here: it cannot be ended from inside, for it waits for its calls."""

_LOG: Final = logging.getLogger("sagaproof.saga")


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


@dataclass(slots=True, weakref_slot=True, eq=False)
class Core:
    """One saga at work. All that has to outlive the process is in `state`, which only `write` changes."""

    setup: Setup
    state: SagaState
    lock: threading.RLock = field(default_factory=threading.RLock)
    flying: set[str] = field(default_factory=set)
    counted: int = 0
    original: BaseException | None = None
    last_failure: str | None = None
    is_ending: bool = False
    again_at: dict[str, float] = field(default_factory=dict)
    _latches: list[Latch] = field(default_factory=list)

    def write(self, kind: Kind, body: dict[str, Any]) -> None:
        """Append a record and take it into the state. What the journal did not take has not happened."""
        with self.lock:
            record = Record(kind, body)
            self.setup.journal.append(self.state.id, self.state.number + 1, record)
            self.state.apply(record)

    @property
    def is_busy(self) -> bool:
        """Whether this process is at work on it right now."""
        return bool(self.flying) or self.is_ending

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
        return usual if errors is None else partial(_judged, errors, usual)

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
