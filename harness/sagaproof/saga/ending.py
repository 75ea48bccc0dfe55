"""How a saga ends: finished, or given up and unwound, each once, whoever asks and how often."""

from __future__ import annotations

from functools import partial

from sagaproof.saga.core import WITHIN, Core, described
from sagaproof.saga.decision_work import hold
from sagaproof.saga.errors import SagaMisuse
from sagaproof.saga.escalate import close, escalate
from sagaproof.saga.picture import problems
from sagaproof.saga.pivot import left_open
from sagaproof.saga.resolve import resolve
from sagaproof.saga.result import Outcome
from sagaproof.saga.unwind import unwind

__all__ = ["finish", "give_up", "go_on_ending"]


async def give_up(core: Core, cause: BaseException | str | None) -> None:
    """Unwind, unless the saga has ended or is finishing with a case."""
    if await _claim(core):
        await hold(core, partial(_give_up, core, cause))


async def finish(core: Core) -> None:
    """End well, if all that was done is known to be done; goes on unwinding if that had begun."""
    if await _claim(core):
        await hold(core, partial(_finish, core))


async def go_on_ending(core: Core) -> None:
    """Do what is left of an ending that has begun, unless another does."""
    if await _claim(core):
        await hold(core, partial(_go_on, core))


async def _give_up(core: Core, cause: BaseException | str | None) -> None:
    state = core.state
    if not state.is_unwinding and state.case is None:
        core.original = cause if isinstance(cause, BaseException) else None
        text = described(cause) if isinstance(cause, BaseException) else cause or _last_error(core)
        core.write("unwinding", {"cause": text})
    await core.idle()
    await _go_on(core)


async def _go_on(core: Core) -> bool:
    """Whether the saga has ended by now."""
    state = core.state
    if state.status is None and state.case is not None:
        await escalate(core)
    elif state.status is None and state.is_unwinding:
        await unwind(core)
    return state.status is not None


async def _finish(core: Core) -> None:
    await core.idle()
    if await _go_on(core):
        return None
    for step in left_open(core.state):
        await resolve(core, step, fence=True, untold=True)
    found = problems(core.state)
    if found:
        return await escalate(core, "; ".join(found))
    return close(core, "completed")


def _last_error(core: Core) -> str:
    """Why the agent gives up, as far as that can be told from what it was told itself."""
    if core.last_failure is not None:
        return core.last_failure
    for step in reversed(list(core.state.steps.values())):
        if step.outcome is not Outcome.OK:
            return f"{step.tool} ({step.call_id}): {step.error or 'nothing was heard of it'}"
    return "the agent gave up"


async def _claim(core: Core) -> bool:
    """Be the one who ends the saga, after waiting for another who does; False if it has ended by then."""
    if WITHIN.get() == core.state.id:
        raise SagaMisuse(
            f"saga {core.state.id!r} is ended inside one of its own calls, for which it would wait for ever. "
            "End it where the call returns"
        )
    while True:
        with core.lock:
            if core.state.status is not None:
                return False
            if not core.is_ending:
                core.is_ending = True
                return True
            latch = core.awaited()
        await latch.wait()
