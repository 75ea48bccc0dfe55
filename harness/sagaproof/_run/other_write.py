"""What somebody else does to a service while an agent is at work: no call of the saga, and no point of it."""

from __future__ import annotations

from sagaproof._model.event import Wrote
from sagaproof._model.script import OtherWrite
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.delivery import Delivery
from sagaproof.errors import UsageError, suggest

__all__ = ["write_as_another"]


def write_as_another(world: WorldHandle, write: OtherWrite) -> None:
    """Let another writer call an operation; what the service refuses is not done, and nobody hears of it."""
    state = world.state
    world.gate.process.refuse_the_dead()
    if write.operation not in state.operations:
        raise UsageError(
            f"another writer calls {write.operation!r}, which is no operation of the world",
            advice=suggest(write.operation, state.operations),
        )
    name, _, operation = write.operation.partition(".")
    handled = state.systems[name].handle(Delivery(operation, dict(write.args)))
    state.log.extend(Wrote(state.clock.elapsed, name, change) for change in handled.changes)
