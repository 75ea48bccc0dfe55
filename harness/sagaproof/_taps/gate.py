"""The gate: the one place where a call, its logical identity and a planned fault meet.

It is synchronous and locked. A tap lets a call `arrive`, gets a `Reply`, and `tell`s the caller; in between
an asynchronous tap may wait, so that calls of one turn overlap as they would in earnest.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Final, NamedTuple

from sagaproof._model.effect import Binding
from sagaproof._model.event import Called, Landed, Noted, Rejected, Told
from sagaproof._model.fault import Applied, Fault, Lands, Learnt
from sagaproof._model.operation import Operation
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.point import Phase, Point
from sagaproof._taps.injector import Injector
from sagaproof._taps.logical import LogicalCall, LogicalCalls
from sagaproof._taps.process import Process
from sagaproof._taps.site import caller_site
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.system import Delivery, Handled, System
from sagaproof._world.world import World
from sagaproof.errors import SagaproofError, UsageError, suggest

__all__ = ["DEFAULT_TIMEOUT_S", "Admission", "Gate", "Reply", "Write"]

LATENCY_S: Final = 0.01
"""What each call takes, in virtual time."""

DEFAULT_TIMEOUT_S: Final = 60.0
"""How long a caller without a timeout of its own waits for an answer that does not come."""


class Reply(NamedTuple):
    """What a tap has to make its caller see. `body` is the answer for ANSWER, STATUS and SOFT."""

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
    """A write into a store of the saga's own, before it is made: with a fault, the process dies at it."""

    point: Point
    record: object
    fault: Fault | None
    site: str

    @property
    def kept(self) -> bool:
        """Whether it is to be made at all."""
        return self.fault is None or self.fault.applied is Applied.YES


class _Late(NamedTuple):
    lands: Lands | None
    system: System
    delivery: Delivery
    call: int
    undoes: Binding | None


class Gate:
    """All calls of one run go through here; a planned fault is put on those that meet its point.

    `closed` says why no further call is taken, `unheard` that a call for help has failed at least once.
    """

    def __init__(self, world: World, plan: Plan = EMPTY, *, calls_max: int = 500, sites: bool = True) -> None:
        self.world = world
        self.plan = plan
        self.process = Process(world)
        self.closed = ""
        self.unheard = False
        self._calls_max = calls_max
        self._sites = sites
        self._injector = Injector(plan)
        self._faulty = bool(plan)
        self._logical = LogicalCalls()
        self._arrivals = 0
        self._late: list[_Late] = []
        self._writes: dict[str, int] = {}
        self._lock = threading.RLock()

    @property
    def injected(self) -> dict[Injection, int]:
        """How many arrivals each planned fault has met so far."""
        return self._injector.met

    # The two steps of a call ----------------------------------------------------------------------------

    def call(self, system: System, delivery: Delivery, timeout_s: float | None = None) -> Reply:
        """Arrive and be told at once."""
        with self._lock:
            reply = self.resolve(self.admit(system, delivery, timeout_s))
            self.tell(reply)
        return reply

    def arrive(self, system: System, delivery: Delivery, timeout_s: float | None = None) -> Reply:
        """Let a call arrive: put the planned fault on it, apply it or not, and say what to tell."""
        with self._lock:
            return self.resolve(self.admit(system, delivery, timeout_s))

    def admit(self, system: System, delivery: Delivery, timeout_s: float | None = None) -> Admission:
        """The first half of `arrive`: who is calling, and which fault is planned here."""
        with self._lock:
            self._refuse_if_closed()
            if self._late:
                self._land(Lands.NEXT_CALL)
            operation = self._operation(system, delivery)
            logical = self._logical.identify(operation, delivery, self.world.standing)
            point = Point(operation.full, logical.n, logical.attempts, self.process.restarts)
            fault = self._injector.fault_at(point, logical, operation.system) if self._faulty else None
            world = self.world
            args = delivery.args if delivery.target_key is None else {"by_key": delivery.target_key}
            world.log.append(
                Called(
                    world.clock.elapsed,
                    logical.index,
                    point,
                    logical.phase,
                    args,
                    delivery.key,
                    logical.undoes,
                    caller_site() if self._sites else "",
                    None if fault is None else fault.name,
                )
            )
            world.clock.elapsed += LATENCY_S
            return Admission(system, delivery, logical, point, fault, timeout_s)

    def resolve(self, admission: Admission) -> Reply:
        """The second half of `arrive`: apply the call as the fault says, and say what to tell."""
        with self._lock:
            if admission.fault is not None:
                return self._with_fault(admission.fault, admission)
            logical = admission.logical
            handled = self.world.deliver(admission.system, admission.delivery, logical.index, logical.undoes)
            return _answer(logical, admission.point, handled)

    def raised(self, admission: Admission, error: BaseException) -> None:
        """Note that the called code itself raised, with no effect that we know of."""
        with self._lock:
            world = self.world
            body = {"error": {"code": type(error).__name__, "message": str(error)}}
            world.log.append(
                Told(
                    world.clock.elapsed,
                    admission.logical.index,
                    admission.point,
                    ok=False,
                    learnt="raised",
                    status=None,
                    body=body,
                )
            )

    def tell(self, reply: Reply) -> None:
        """Note what the caller is being told; effects that wait for an undo land after this."""
        with self._lock:
            self.process.refuse_the_dead()
            world = self.world
            if reply.ok:
                self._logical.calls[reply.call].learnt_ok = True
            elif reply.phase is Phase.ESCALATE:
                self.unheard = True
            world.log.append(
                Told(
                    world.clock.elapsed,
                    reply.call,
                    reply.point,
                    reply.ok,
                    reply.learnt.value,
                    reply.status,
                    reply.body,
                )
            )
            if reply.phase is Phase.UNDO:
                self._land(Lands.UNDO)

    def begin_write(self, operation: Operation, record: object) -> Write:
        """A write into a store of the saga's own that outlives its process: a point like any call."""
        with self._lock:
            self._refuse_if_closed()
            n = self._writes[operation.full] = self._writes.get(operation.full, 0) + 1
            point = Point(operation.full, n, 1, self.process.restarts)
            fault = self._injector.fault_at_write(point) if self._faulty else None
            return Write(point, record, fault, caller_site() if self._sites else "")

    def end_write(self, write: Write, *, kept: bool) -> None:
        """Note the write, `kept` or not; if that is where the process dies, it does so now."""
        point, record, fault, site = write
        with self._lock:
            self.process.refuse_the_dead()
            name = None if fault is None else fault.name
            self.world.log.append(Noted(self.world.clock.elapsed, point, record, kept, site, name))
            if fault is not None:
                self.process.die(point)

    def heal(self) -> None:
        """Put no more faults on anything: the saga has ended, and what it left undone can be looked at."""
        self._faulty = False

    def turn_away(self) -> None:
        """Count an arrival that means no operation: who repeats it for ever is stopped all the same."""
        with self._lock:
            self._refuse_if_closed()

    def land_everything(self) -> None:
        """Let all that is late arrive now, in the order it was sent."""
        with self._lock:
            self._land(None)

    def pending(self) -> Hashable:
        """What is still to come by itself: late deliveries, faults that last, what the desk has not heard."""
        late = ((e.lands, e.system.name, e.delivery.operation, e.delivery.key) for e in self._late)
        return (tuple(late), self._injector.lasting(self._logical.calls), self._logical.open(), self.unheard)

    def close(self, why: str) -> None:
        """Refuse every further call: whoever makes it is stopped with this reason."""
        self.closed = why

    def _operation(self, system: System, delivery: Delivery) -> Operation:
        operation = self.world.operations.get(f"{system.name}.{delivery.operation}")
        if operation is None:
            known = system.operations()
            raise UsageError(
                f"{system.name} has no operation {delivery.operation!r}",
                advice=suggest(delivery.operation, known),
            )
        return operation

    # Faults ---------------------------------------------------------------------------------------------

    def _with_fault(self, fault: Fault, admission: Admission) -> Reply:
        logical, point = admission.logical, admission.point
        handled = self._apply(fault, admission)
        learnt = fault.learnt
        if learnt is Learnt.DEATH:
            self.process.die(point)
        if learnt is Learnt.TIMEOUT:
            self.world.clock.elapsed += max(0.0, (admission.timeout_s or DEFAULT_TIMEOUT_S) - LATENCY_S)
        if learnt is Learnt.ANSWER:
            assert handled is not None
            return _answer(logical, point, handled)
        status = fault.status if learnt is Learnt.STATUS else _STATUS_OF.get(learnt)
        body = handled.body if learnt is Learnt.TORN and handled is not None else _fault_body(fault)
        after = self._retry_after(fault)
        return Reply(logical.index, point, logical.phase, learnt, False, status, body, after)  # noqa: FBT003

    def _retry_after(self, fault: Fault) -> str | None:
        """The header of a rate limit; a date is two seconds ahead of the world's clock (RFC 9110, 10.2.3)."""
        if fault.retry_after != "date":
            return fault.retry_after
        return format_datetime(datetime.fromtimestamp(self.world.clock.now() + 2.0, UTC), usegmt=True)

    def _apply(self, fault: Fault, admission: Admission) -> Handled | None:
        world, logical = self.world, admission.logical
        system, delivery, undoes = admission.system, admission.delivery, logical.undoes
        if fault.applied is Applied.NO:
            return None
        if fault.applied is Applied.LATE:
            self._late.append(_Late(fault.lands, system, delivery, logical.index, undoes))
            return None
        handled = world.deliver(system, delivery, logical.index, undoes)
        if fault.applied is Applied.TWICE and (handled.ok or logical.phase is not Phase.UNDO):
            self._deliver_unseen(system, delivery, logical.index, undoes, again=True)
        return handled

    def _deliver_unseen(
        self,
        system: System,
        delivery: Delivery,
        call: int,
        undoes: Binding | None,
        *,
        late: bool = False,
        again: bool = False,
    ) -> Handled:
        """A delivery whose outcome nobody waits for: if a callable of the user's raises, it has refused."""
        try:
            return self.world.deliver(system, delivery, call, undoes, late=late, again=again)
        except SagaproofError:
            raise
        except Exception as error:  # noqa: BLE001  # it may raise anything, and is not to end another call
            code = type(error).__name__
            self.world.log.append(Rejected(self.world.clock.elapsed, call, 500, code, late))
            return Handled(500, None, code=code)

    def _land(self, lands: Lands | None) -> None:
        """Deliver what waits for this moment; None is the end, when everything lands."""
        due = [late for late in self._late if lands is None or late.lands is lands]
        if not due:
            return
        self._late = [late for late in self._late if late not in due]
        for late in due:
            handled = self._deliver_unseen(late.system, late.delivery, late.call, late.undoes, late=True)
            self.world.log.append(Landed(self.world.clock.elapsed, late.call, _outcome(handled)))

    def _refuse_if_closed(self) -> None:
        if self.closed:
            raise SagaStopped(self.closed)
        self.process.refuse_the_dead()
        self._arrivals += 1
        if self._arrivals > self._calls_max:
            self.closed = f"made more than {self._calls_max} calls"
            raise SagaStopped(self.closed)


_STATUS_OF: Final = {Learnt.TORN: 200, Learnt.GARBAGE: 200, Learnt.SOFT: 200}


def _answer(logical: LogicalCall, point: Point, handled: Handled) -> Reply:
    learnt = Learnt.ANSWER if handled.status < 400 else Learnt.STATUS
    return Reply(
        logical.index, point, logical.phase, learnt, handled.status < 400, handled.status, handled.body
    )


def _fault_body(fault: Fault) -> dict[str, object]:
    return {"error": {"code": f"injected_{fault.name}".replace("-", "_"), "message": fault.meaning}}


def _outcome(handled: Handled) -> str:
    if handled.changes:
        return "applied"
    if handled.code == "fenced":
        return "fenced"
    return "absorbed" if handled.ok else "refused"
