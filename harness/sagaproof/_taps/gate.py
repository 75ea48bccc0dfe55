"""The gate: the one place where a call, its logical identity and a planned fault meet.

It is synchronous and locked. A tap lets a call `arrive`, gets a `Reply`, and `tell`s the caller; in between
an asynchronous tap may wait, so that calls of one turn overlap as they would in earnest.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Final, NoReturn

from sagaproof._model.event import Called, Noted, Told
from sagaproof._model.fault import Applied, Fault, Lands, Learnt
from sagaproof._model.operation import Operation
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.point import Phase, Point
from sagaproof._taps.events import Events
from sagaproof._taps.fitting import require_fit
from sagaproof._taps.harms import Harms
from sagaproof._taps.injector import Injector
from sagaproof._taps.logical import LogicalCalls
from sagaproof._taps.misanswer import misanswer
from sagaproof._taps.misdelivery import Deliveries
from sagaproof._taps.process import Process
from sagaproof._taps.reply import Admission, Reply, Write, answer, silent
from sagaproof._taps.site import caller_site
from sagaproof._taps.stopped import SagaStopped
from sagaproof._taps.store import NO_HOOKS, Store
from sagaproof._taps.whole import Whole
from sagaproof._world.delivery import Delivery
from sagaproof._world.system import System
from sagaproof._world.world import World
from sagaproof.errors import UsageError, suggest

__all__ = ["DEFAULT_TIMEOUT_S", "Gate"]

LATENCY_S: Final = 0.01
"""What each call takes, in virtual time."""

DEFAULT_TIMEOUT_S: Final = 60.0
"""How long a caller without a timeout of its own waits for an answer that does not come."""


class Gate:
    """All calls of one run go through here; a planned fault is put on those that meet its point.

    `closed` says why no further call is taken, `unheard` that a call for help has failed at least once,
    `refused_at` where a store of the saga's own last answered with an error.
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
        self._deliveries = Deliveries(world)
        self.harms = Harms(world, self.process)
        self.refused_at: Point | None = None
        self.events = Events(world, self.process, self._fault_at)
        self.whole: Whole | None = None
        self.on_pause: Callable[[Point], None] | None = None
        self.after_turn: Callable[[], None] | None = None
        self.on_call: Callable[[Phase, Operation], None] | None = None
        self._writes: dict[str, int] = {}
        self._lock = threading.RLock()

    @property
    def injected(self) -> dict[Injection, int]:
        """How many arrivals each planned fault has met so far."""
        return self._injector.met

    # The two steps of a call ----------------------------------------------------------------------------

    def call(
        self, system: System, delivery: Delivery, timeout_s: float | None = None, *, blocks: bool = False
    ) -> Reply:
        """Arrive and be told at once. A client that `blocks` its thread is never cancelled in a call."""
        self._hand_out_events()
        with self._lock:
            admission = self.admit(system, delivery, timeout_s)
            reply = self.settle(admission, self.resolve(admission), blocks=blocks)
        self.pause_after(admission)
        return reply

    def settle(self, admission: Admission, reply: Reply, *, blocks: bool = False) -> Reply:
        """Tell a caller its reply that does not wait for it in a loop; return what it is to see."""
        with self._lock:
            if reply.learnt is Learnt.CANCELLED:
                reply = self._cancelled(admission, reply, blocks=blocks)
            self.tell(reply)
            if admission.fault is not None and admission.fault.cancels_next:
                self.cancel()
            return reply

    def admit(self, system: System, delivery: Delivery, timeout_s: float | None = None) -> Admission:
        """Let a call arrive: who is calling, and which fault is planned here."""
        self._hand_out_events()
        with self._lock:
            self._refuse_if_closed()
            if self._deliveries:
                self._deliveries.land(Lands.NEXT_CALL)
            operation = self._operation(system, delivery)
            logical = self._logical.identify(operation, delivery, self.world.standing)
            point = Point(operation.full, logical.n, logical.attempts, self.process.restarts)
            fault = (
                self._injector.fault_at(point, logical, self.world.clock.elapsed) if self._faulty else None
            )
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
            if self.on_call is not None:
                self.on_call(logical.phase, operation)
            return Admission(system, delivery, logical, point, fault, timeout_s)

    def resolve(self, admission: Admission) -> Reply:
        """Apply a call as its fault says, or as it is, and say what to tell."""
        with self._lock:
            reply = self._resolved(admission)
            self.harms.after_call(self._operation(admission.system, admission.delivery), admission.point)
            return reply

    def _resolved(self, admission: Admission) -> Reply:
        if admission.fault is not None:
            return self._with_fault(admission.fault, admission)
        logical = admission.logical
        handled = self.world.deliver(admission.system, admission.delivery, logical.index, logical.undoes)
        return answer(admission, handled)

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
                self._deliveries.land(Lands.UNDO)
            if world.outbox:
                self.events.soon()

    def begin_write(self, operation: Operation, record: object, store: Store = NO_HOOKS) -> Write:
        """A write into a store of the saga's own that outlives its process: a point like any call."""
        with self._lock:
            self._refuse_if_closed()
            self.harms.before_write()
            n = self._writes[operation.full] = self._writes.get(operation.full, 0) + 1
            point = Point(operation.full, n, 1, self.process.restarts)
            fault = self._fault_at(point)
            before = None if fault is None or fault.harm is None else store.before()
            write = Write(point, record, fault, caller_site() if self._sites else "", store, before)
        if fault is not None and fault.pauses and self.on_pause is not None:
            self.on_pause(point)
        return write

    def _fault_at(self, point: Point) -> Fault | None:
        """The fault for a point that is no call."""
        fault = self._injector.fault_at_write(point) if self._faulty else None
        if fault is not None:
            require_fit(fault, point, self.world.operations[point.operation])
        return fault

    def end_write(self, write: Write, *, kept: bool) -> None:
        """Note the write, `kept` or not; if that is where the process dies, it does so now.

        Raises the error of the store if it answers with one. A write of another thread that was under way
        when the process died is noted too if it was kept: the next process will find it.
        """
        point, record, fault, site, store, before = write
        with self._lock:
            if not kept:
                self.process.refuse_the_dead()
            name = None if fault is None else fault.name
            self.world.log.append(Noted(self.world.clock.elapsed, point, record, kept, site, name))
            self.process.refuse_the_dead()
            if fault is not None and fault.learnt is Learnt.DEATH:
                self._die(point)
            if kept:
                self.harms.kept(point, fault, store, before)
            if fault is not None and fault.errno is not None and kept is write.kept:
                self.refused_at = point
                raise store.fails(OSError(fault.errno, os.strerror(fault.errno)))

    def _die(self, point: Point) -> NoReturn:
        """Be dead from here on, and lose with it what was only said to be kept."""
        self.harms.settle()
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
            self._deliveries.land(None)

    def pending(self) -> Hashable:
        """What is still to come by itself: late deliveries, faults that last, what the desk has not heard."""
        lasting = self._injector.lasting(self._logical.calls)
        on_their_way = (self._deliveries.pending(), self.events.pending())
        return (on_their_way, lasting, self._logical.open(), self.unheard)

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
        require_fit(fault, admission.point, self._operation(admission.system, admission.delivery))
        handled = self._deliveries.apply(fault, admission)
        if fault.outlasts_key:
            self._deliveries.land_sent()
        if fault.learnt is Learnt.DEATH:
            self._die(admission.point)
        self._let_time_pass(fault, admission)
        if fault.learnt is Learnt.CANCELLED and handled is not None:
            return answer(admission, handled)._replace(learnt=Learnt.CANCELLED)
        return misanswer(fault, admission, handled, self.world)

    def _let_time_pass(self, fault: Fault, admission: Admission) -> None:
        """Waiting for what does not come, or comes at the last moment; and clocks that are set."""
        clock = self.world.clock
        waits_s = max(0.0, (admission.timeout_s or DEFAULT_TIMEOUT_S) - LATENCY_S)
        if fault.outlasts_key:
            waits_s = max(waits_s, admission.system.key_lifetime_s + 1.0)
        if fault.learnt is Learnt.TIMEOUT:
            clock.elapsed += waits_s
        elif fault.slow:
            clock.elapsed += max(0.0, waits_s - LATENCY_S)
        clock.skew += fault.jump_s

    def _cancelled(self, admission: Admission, reply: Reply, *, blocks: bool) -> Reply:
        """A call that its task does not wait for: it is cancelled here; any other task is not it.

        Nor is one whose thread is blocked: its task gets to know at its next await.
        """
        if not blocks and (self.whole is None or self.whole.is_current()):
            return silent(reply)
        self.cancel()
        return self.unharmed(admission, reply)

    def unharmed(self, admission: Admission, reply: Reply) -> Reply:
        """The reply to a caller that a cancellation of the saga does not reach."""
        if admission.fault is not None and admission.fault.applied is Applied.NO:
            return self.resolve(admission._replace(fault=None))
        return reply._replace(learnt=Learnt.ANSWER if reply.ok else Learnt.STATUS)

    def pause_after(self, admission: Admission) -> None:
        """Let another process take the saga up before the caller goes on, if its fault says so."""
        if admission.fault is not None and admission.fault.pauses and self.on_pause is not None:
            self.on_pause(admission.point)

    def cancel(self) -> None:
        """Cancel the saga, as its user would: it gets to know of it where it waits, or waits next."""
        if self.whole is not None:
            self.whole.cancel()

    def _hand_out_events(self) -> None:
        """Tell the saga of what systems have sent by now; not under the lock, for its handlers may wait."""
        if self.world.outbox and not self.closed:
            self.process.refuse_the_dead()
            self.events.hand_out()

    def _refuse_if_closed(self) -> None:
        if self.closed:
            raise SagaStopped(self.closed)
        self.process.refuse_the_dead()
        self._arrivals += 1
        if self._arrivals > self._calls_max:
            self.closed = f"made more than {self._calls_max} calls"
            raise SagaStopped(self.closed)
