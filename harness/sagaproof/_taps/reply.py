"""What passes between a tap and the gate: a call on its way in, and what its caller is to see."""

from __future__ import annotations

from typing import Any, NamedTuple

from sagaproof._model.fault import Applied, Fault, Learnt
from sagaproof._model.point import Phase, Point
from sagaproof._taps.logical import LogicalCall
from sagaproof._taps.store import Store
from sagaproof._world.delivery import Delivery, Handled
from sagaproof._world.system import System

__all__ = ["Admission", "Reply", "Write", "answer", "silent"]


class Reply(NamedTuple):
    """What a tap has to make its caller see. `body` is what was answered, where anything was."""

    call: int
    point: Point
    phase: Phase
    learnt: Learnt
    ok: bool
    status: int | None
    body: Any
    retry_after: str | None = None


class Admission(NamedTuple):
    """A call between its arrival and its effect."""

    system: System
    delivery: Delivery
    logical: LogicalCall
    point: Point
    fault: Fault | None
    timeout_s: float | None


class Write(NamedTuple):
    """A write into a store of the saga's own, before it is made; `before` is what its store held then."""

    point: Point
    record: object
    fault: Fault | None
    site: str
    store: Store
    before: Any = None

    @property
    def kept(self) -> bool:
        """Whether it is to be made at all."""
        return self.fault is None or self.fault.applied is Applied.YES


def answer(admission: Admission, handled: Handled) -> Reply:
    """The answer of the service itself."""
    learnt = Learnt.ANSWER if handled.status < 400 else Learnt.STATUS
    logical = admission.logical
    return Reply(
        logical.index,
        admission.point,
        logical.phase,
        learnt,
        handled.status < 400,
        handled.status,
        handled.body,
    )


def silent(reply: Reply) -> Reply:
    """The reply as its caller has it that was cancelled: nothing."""
    return reply._replace(ok=False, status=None, body=None)
