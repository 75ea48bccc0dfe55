"""Carrying out what was decided: whoever is at work on the saga does it; the journal says what is left."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sagaproof.saga.core import Core
from sagaproof.saga.decision_forward import go_on
from sagaproof.saga.escalate import close, escalate
from sagaproof.saga.picture import is_outstanding
from sagaproof.saga.unwind import unwind

__all__ = ["carry_on", "hold"]


async def hold(core: Core, work: Callable[[], Awaitable[object]]) -> None:
    """Do the work of who has claimed the ending, then what was decided meanwhile, and let go."""
    try:
        await work()
        while not _let_go(core):
            await _carry_out(core)
    except BaseException:
        core.is_ending = False
        raise
    finally:
        core.wake()


async def carry_on(core: Core) -> None:
    """Carry out the decision that is under way, unless another is at work on the saga, who will do it."""
    with core.lock:
        if core.state.decision is None or core.is_ending:
            return
        core.is_ending = True
    await hold(core, core.idle)


def _let_go(core: Core) -> bool:
    with core.lock:
        if core.state.decision is not None:
            return False
        core.is_ending = False
        return True


async def _carry_out(core: Core) -> None:
    decision = core.state.decision
    assert decision is not None
    if decision.choice == "retry":
        await unwind(core)
    elif decision.choice == "go on":
        await go_on(core)
    elif decision.steps and is_outstanding(core):
        await escalate(core)
    else:
        close(core, "escalated", "accepted" if decision.choice == "accept" else "handled")
