"""The world and its gate on their way from one process to another: out of the one that is about to be killed.

What belongs to the dying process alone stays behind: its handlers of events, its tasks, its threads, the
callables that it wrapped as tools.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

from sagaproof._taps.gate import Gate
from sagaproof._taps.packing import Packer, Unpacker
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof._world.world import World

__all__ = ["Handover", "adopt", "unpack"]

_OF_GATE: Final = frozenset({"world", "plan", "process", "events", "whole", "harms", "_lock"})
_OF_WORLD: Final = frozenset({"systems", "tables", "clock", "ids", "operations", "log"})
_OF_SYSTEM: Final = frozenset(vars(System).keys()) | {
    *("clock", "ids", "keys", "tables", "on_outside_write", "on_outside_event"),
    *("_writes", "_emitted", "_table_by_name", "_invariant_methods"),
    *(
        "_declared",
        "_functions",
        "_undos",
        "_wrapped_in",
        "outcomes",
    ),  # of the tools, which are callables of the dead
}


class Handover:
    """What a process has to hand over; made at its beginning, to tell what it adds."""

    def __init__(self, world: World, gate: Gate) -> None:
        self._world = world
        self._gate = gate
        self._known = dict(world.operations)
        self._logged = len(world.log)

    def pack(self, besides: object = None) -> bytes:
        """Everything that outlives the process, and what its runner wants to send `besides`."""
        world, gate = self._world, self._gate
        gate.events.take_back()
        known = self._known
        carried = {
            "gate": {n: v for n, v in vars(gate).items() if n not in _OF_GATE and not callable(v)},
            "process": gate.process.state(),
            "harmed": gate.harms.any,
            "events": gate.events.state(),
            "world": {name: value for name, value in vars(world).items() if name not in _OF_WORLD},
            "log": world.log[self._logged :],  # nothing is ever taken out of it: the rest is there already
            "operations": {n: op for n, op in world.operations.items() if known.get(n) is not op},
            "clock": _slots(world.clock),
            "ids": _slots(world.ids),
            "systems": {name: (_kept(system), system.snapshot()) for name, system in world.systems.items()},
            "besides": besides,
        }
        file = io.BytesIO()
        Packer(file, world).dump(carried)
        return file.getvalue()


def unpack(data: bytes, world: World) -> dict[str, Any]:
    """What `Handover.pack` was given, for `adopt`; it speaks of the systems of this process."""
    carried: dict[str, Any] = Unpacker(io.BytesIO(data), world).load()
    return carried


def adopt(carried: Mapping[str, Any], world: World, gate: Gate) -> None:
    """Make world and gate those of the process that handed them over."""
    vars(gate).update(carried["gate"])
    gate.process.adopt(carried["process"])
    gate.events.adopt(carried["events"])
    gate.harms.any = carried["harmed"]
    vars(world).update(carried["world"])
    world.log += carried["log"]
    world.operations.update(carried["operations"])
    for name, value in carried["clock"].items():
        setattr(world.clock, name, value)
    for name, value in carried["ids"].items():
        setattr(world.ids, name, value)
    for name, (kept, snapshot) in carried["systems"].items():
        vars(world.systems[name]).update(kept)
        world.systems[name].restore(snapshot)


def _slots(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__slots__}


def _kept(system: System) -> dict[str, Any]:
    """What a system keeps outside of its tables and keys."""
    return {
        name: value
        for name, value in vars(system).items()
        if name not in _OF_SYSTEM and not isinstance(value, Table)
    }
