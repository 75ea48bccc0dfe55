"""What comes to harm in a store although its writer was told that it is kept, and when its process dies."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sagaproof._model.event import Spoiled
from sagaproof._model.fault import Fault, Harm
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.point import Point
from sagaproof._taps.process import Process
from sagaproof._taps.store import Store
from sagaproof._world.world import World

__all__ = ["Harms"]

_AT_ONCE: Final = frozenset({Harm.TORN, Harm.FOREIGN})
"""Harm that nobody has had time to go on after."""


class _Doomed(NamedTuple):
    """A record that comes, or has come, to harm, while its process goes on for a while."""

    point: Point
    fault: Fault
    store: Store
    before: Any


class Harms:
    """The record of the living process that is doomed, if there is one; `any` says whether there ever was.

    A record that will be lost is there until the process dies, as it is in the cache of the machine. That is
    when the next call is through that may have left an effect, or before the next write: with a later record
    kept there would be a hole, which is another fault.
    """

    def __init__(self, world: World, process: Process) -> None:
        self.any = False
        self._world = world
        self._process = process
        self._doomed: _Doomed | None = None

    def kept(self, point: Point, fault: Fault | None, store: Store, before: Any) -> None:
        """A write was kept, with a fault or without. Raises `ProcessDied` if that is where it dies."""
        if self._doomed is not None:
            self._meet(point)
        if fault is None or fault.harm is None:
            return
        self._doomed = _Doomed(point, fault, store, before)
        if fault.harm is not Harm.LOST:
            self._spoil(self._doomed)
        if fault.harm in _AT_ONCE:
            self._meet(point)

    def before_write(self) -> None:
        """A write is about to be made: what is lost is lost with all that would come after it."""
        if self._doomed is not None and self._doomed.fault.harm is Harm.LOST:
            self._meet(self._doomed.point)

    def after_call(self, operation: Operation, point: Point) -> None:
        """A call is through, whatever came of it."""
        doomed = self._doomed
        if doomed is not None and doomed.fault.harm is Harm.LOST and operation.cls > EffectClass.READ:
            self._meet(point)

    def settle(self) -> None:
        """The process dies, or has come to its end: what was doomed has come to harm by now."""
        doomed, self._doomed = self._doomed, None
        if doomed is not None and doomed.fault.harm is Harm.LOST:
            self._spoil(doomed)

    def _meet(self, point: Point) -> None:
        self.settle()
        self._process.die(point)

    def _spoil(self, doomed: _Doomed) -> None:
        fault = doomed.fault
        assert fault.harm is not None
        assert fault.trait is not None
        doomed.store.harm(fault.trait, doomed.before)
        self.any = True
        self._world.log.append(Spoiled(self._world.clock.elapsed, doomed.point, fault.harm.value))
