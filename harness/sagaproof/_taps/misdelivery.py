"""The first half of a fault: what becomes of a call at its service, and what comes of it later."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, NamedTuple

from sagaproof._model.effect import Binding, Record
from sagaproof._model.event import Landed, Meddled, Rejected
from sagaproof._model.fault import Applied, Fault, Lands, Learnt
from sagaproof._model.operation import Operation
from sagaproof._model.point import Phase
from sagaproof._taps.misanswer import error_of
from sagaproof._taps.reply import Admission
from sagaproof._world.delivery import Delivery, Handled
from sagaproof._world.system import System
from sagaproof._world.world import World
from sagaproof.errors import SagaproofError

__all__ = ["Deliveries"]


class _Late(NamedTuple):
    lands: Lands | None
    system: System
    delivery: Delivery
    call: int
    undoes: Binding | None
    meanwhile: str | None = None


class Deliveries:
    """Delivers calls as their faults say, and keeps what is on its way, be it late or somebody else's."""

    __slots__ = ("_late", "_world")

    def __init__(self, world: World) -> None:
        self._world = world
        self._late: list[_Late] = []

    def apply(self, fault: Fault, admission: Admission) -> Handled | None:
        """Deliver a call as the fault says; None if nothing of it has arrived so far."""
        if fault.stored:
            self._keep_error(fault, admission)
        if fault.applied is Applied.NO:
            return None
        if fault.applied is Applied.LATE:
            self._send(fault, admission)
            return None
        handled = self._deliver(fault, admission)
        if fault.applied is Applied.TWICE and (handled.ok or admission.logical.phase is not Phase.UNDO):
            self._unseen(admission, admission.delivery, again=True)
        elif fault.applied is Applied.TWICE_CHANGED:
            self._unseen(admission, _changed(admission.delivery), again=True)
        if fault.meanwhile is not None and handled.ok:
            self._send(fault, admission)
        return handled

    def _deliver(self, fault: Fault, admission: Admission) -> Handled:
        delivery = admission.delivery
        world, logical = self._world, admission.logical
        if fault.learnt is Learnt.STALE:
            return world.read_stale(admission.system, delivery)
        if fault.applied is Applied.PARTLY:
            operation = world.operations[admission.point.operation]
            part = _first_half(delivery, operation)
            if part is None:
                return _none_of_it()
            return world.deliver_part(admission.system, delivery, part, logical.index, logical.undoes)
        if fault.applied is Applied.OFF:
            delivery = _off_by_one(delivery, world.operations[admission.point.operation])
        return world.deliver(admission.system, delivery, logical.index, logical.undoes)

    def _keep_error(self, fault: Fault, admission: Admission) -> None:
        """Keep an error for the key of a call, unless the service knows that key already."""
        delivery, status = admission.delivery, fault.status or 500
        keys, now = admission.system.keys, self._world.clock.now()
        if delivery.key is not None and keys.get(delivery.key, now) is None:
            body = error_of(fault)
            keys.done(delivery.key, delivery.operation, delivery.args, status, body, changes=(), now=now)

    def _send(self, fault: Fault, admission: Admission) -> None:
        logical = admission.logical
        self._late.append(
            _Late(
                fault.lands,
                admission.system,
                admission.delivery,
                logical.index,
                logical.undoes,
                fault.meanwhile,
            )
        )

    def _unseen(self, admission: Admission, delivery: Delivery, *, again: bool) -> None:
        logical = admission.logical
        self._deliver_unseen(admission.system, delivery, logical.index, logical.undoes, again=again)

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
            return self._world.deliver(system, delivery, call, undoes, late=late, again=again)
        except SagaproofError:
            raise
        except Exception as error:  # noqa: BLE001  # it may raise anything, and is not to end another call
            code = type(error).__name__
            self._world.log.append(Rejected(self._world.clock.elapsed, call, 500, code, late))
            return Handled(500, None, code=code)

    # Later ----------------------------------------------------------------------------------------------

    def land(self, lands: Lands | None) -> None:
        """Deliver what waits for this moment; None is the end, when everything lands."""
        due = [late for late in self._late if lands is None or late.lands is lands]
        if not due:
            return
        self._late = [late for late in self._late if late not in due]
        for late in due:
            if late.meanwhile is not None:
                self._meddle(late, late.meanwhile)
                continue
            handled = self._deliver_unseen(late.system, late.delivery, late.call, late.undoes, late=True)
            self._world.log.append(Landed(self._world.clock.elapsed, late.call, _outcome(handled)))

    def land_sent(self) -> None:
        """Let arrive what has been sent: nothing stays on its way for as long as a key is remembered."""
        waiting = [late for late in self._late if late.meanwhile is not None]
        self._late = [late for late in self._late if late.meanwhile is None]
        self.land(None)
        self._late = waiting

    def _meddle(self, late: _Late, kind: str) -> None:
        """Let somebody else write; what they write is no effect of the saga's."""
        world = self._world
        effect = world.standing.of_call(late.call)
        if effect is not None:
            world.log.append(Meddled(world.clock.elapsed, late.call, kind))
            late.system.meanwhile(kind, effect)

    def pending(self) -> Hashable:
        """What is still on its way."""
        return tuple(
            (e.lands, e.system.name, e.delivery.operation, e.delivery.key, e.meanwhile) for e in self._late
        )

    def __bool__(self) -> bool:
        return bool(self._late)


_NONE_OF_IT: Final = {"error": {"code": "nothing_done", "message": "none of it was done"}}


def _none_of_it() -> Handled:
    return Handled(500, _NONE_OF_IT, code="nothing_done")


def _first_half(delivery: Delivery, operation: Operation) -> tuple[Delivery, list[Any]] | None:
    """The delivery with half of its items, and the items left out; None if there is nothing to halve."""
    items = delivery.args.get(operation.bulk or "")
    if not isinstance(items, list) or len(items) < 2:
        return None
    half = (len(items) + 1) // 2
    args = {**delivery.args, str(operation.bulk): items[:half]}
    return delivery._replace(args=args), items[half:]


def _off_by_one(delivery: Delivery, operation: Operation) -> Delivery:
    amount = delivery.args.get(operation.amount or "")
    if not isinstance(amount, int):
        return delivery
    return delivery._replace(args={**delivery.args, str(operation.amount): amount - 1})


def _changed(delivery: Delivery) -> Delivery:
    """The same call with one text or number altered, as by a client that was updated in between."""
    args: dict[str, Any] = dict(delivery.args)
    for name in reversed(args):
        value: Record | Any = args[name]
        if value.__class__ is int:
            return delivery._replace(args={**args, name: value + 1})
        if isinstance(value, str) and " " in value:
            return delivery._replace(args={**args, name: f"{value} (again)"})
    return delivery


def _outcome(handled: Handled) -> str:
    if handled.changes:
        return "applied"
    if handled.code == "fenced":
        return "fenced"
    return "absorbed" if handled.ok else "refused"
