"""All that a new process can come upon: two runs with the same go on alike, whatever led there.

It holds the rows and keys of the systems, what was written into stores of the saga's own, the leases of its
journal, what is still on its way, and which faults last. Moments are left out, but for the seconds that have
passed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from sagaproof._model.event import Applied, Noted, Spoiled
from sagaproof._model.fault import Harm
from sagaproof._taps.gate import Gate
from sagaproof._world.system import System
from sagaproof._world.world import World

__all__ = ["crash_state"]


def crash_state(world: World, gate: Gate, leases: Hashable = ()) -> Hashable:
    """The state at a restart; None if a planned fault is still to come, or nothing was written durably.

    A saga that keeps what it needs where nobody looks would seem to be in the same state when it is not.
    """
    spoiled = {event.point: event.harm for event in world.log if isinstance(event, Spoiled)}
    written = [
        (e.point.operation, repr(e.record), spoiled.get(e.point))
        for e in world.log
        if isinstance(e, Noted) and e.kept and spoiled.get(e.point) != Harm.LOST
    ]
    if not written or not all(gate.injected.values()):
        return None
    return (
        gate.process.restarts,
        int(world.clock.elapsed),
        world.clock.skew,
        tuple(written),
        leases,
        tuple(_system(system) for system in world.systems.values()),
        tuple(_effects(world)),
        world.ids.state(),
        gate.pending(),
    )


def _system(system: System) -> Hashable:
    tables = tuple(
        (table.name, tuple((key, _row(row, table.info.volatile)) for key, row in table.rows.items()))
        for table in system.tables
    )
    keys = tuple(
        (key, e.state, e.operation, repr(e.args), e.status) for key, e in system.keys.entries.items()
    )
    return (system.name, tables, keys)


def _row(row: Any, volatile: frozenset[str]) -> Hashable:
    """A row in a form that can be hashed: its text, which is made faster than any other is."""
    return repr({name: value for name, value in row.items() if name not in volatile} if volatile else row)


def _effects(world: World) -> Iterator[Hashable]:
    for event in world.log:
        if isinstance(event, Applied):
            effect = event.effect
            yield (effect.full, effect.ref, effect.key, effect.undoes, event.late)
