"""One forward call: tried as its policy says, and told as no more than is known."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from functools import partial

from sagaproof.saga.core import WITHIN, Core, copied, described
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.errors import PartialEffect
from sagaproof.saga.flight import Flight, told
from sagaproof.saga.resolve import applied, conclude, partly_applied, resolve
from sagaproof.saga.result import Outcome, Result
from sagaproof.saga.schema import KEY
from sagaproof.saga.state import StepState
from sagaproof.saga.tool import Tool
from sagaproof.saga.trial import Trial

__all__ = ["carry_out"]


async def carry_out(core: Core, flight: Flight) -> Result:
    """Send an admitted call. A crash or cancellation passes through and leaves its outcome unknown."""
    step = flight.step
    if step is None:
        return await _read(core, flight)
    inside = WITHIN.set(core.state.id)
    try:
        await _settle(core, flight, step)
        core.unheard.discard(step.call_id)
    finally:
        WITHIN.reset(inside)
        core.land(step.call_id)  # only that nobody waits for it any more: nothing is written here
    result = told(step)
    if isinstance(result.value, dict | list):  # the agent may do with it as it likes
        return Result(result.outcome, copied(result.value), result.error)
    return result


async def _read(core: Core, flight: Flight) -> Result:
    trial = await _trial(core, flight).run(core.setup.port)
    if trial.error is not None:
        return Result(Outcome.FAILED, error=described(trial.error))
    return Result(Outcome.OK, trial.answer)


async def _settle(core: Core, flight: Flight, step: StepState) -> None:
    """Make the call and write down what came of it, also if that is no more than that it was cancelled."""
    trial = _trial(core, flight, step)
    try:
        await _find_out(core, flight, step, trial)
    except CancelledError:
        if step.outcome is None:
            error = (
                "it was cancelled before it was answered" if trial.error is None else described(trial.error)
            )
            conclude(core, step, Outcome.UNKNOWN, error=error)
        raise


async def _find_out(core: Core, flight: Flight, step: StepState, trial: Trial) -> None:
    if flight.is_resumed and not _may_send_again(core, flight, step):
        return await resolve(core, step, fence=True, error=step.error or "its answer was lost")
    await trial.run(core.setup.port)
    if trial.error is None:
        return await applied(core, step, trial.answer)
    error = described(trial.error)
    if isinstance(trial.error, PartialEffect):
        return partly_applied(core, step, trial.error.answer, error)
    if trial.doubtful:
        return await resolve(core, step, fence=True, error=error)
    return conclude(core, step, Outcome.FAILED, error=error)


def _may_send_again(core: Core, flight: Flight, step: StepState) -> bool:
    """Whether a call that may have arrived can be sent again without a second effect."""
    tool = flight.tool
    return tool.cls <= EffectClass.CONVERGENT or (tool.keyed and core.is_remembered(tool, step.at))


def _as_long_as_known(core: Core, tool: Tool, step: StepState | None) -> Callable[[], bool]:
    """Whether the service still knows the key of a step; what may be done twice needs none."""
    if step is None or tool.cls <= EffectClass.CONVERGENT:
        return lambda: True
    return lambda: core.is_remembered(tool, step.at)


def _trial(core: Core, flight: Flight, step: StepState | None = None) -> Trial:
    tool = flight.tool
    send = core.setup.port.call if step is None else core.send
    if tool.takes_key:
        key = core.state.id if step is None else step.key
        attempt = partial(send, tool.call, **flight.kwargs, **{KEY: key})
    else:
        attempt = partial(send, tool.call, **flight.kwargs)
    trial = Trial(
        attempt,
        tool.retry,
        core.judge(tool),
        core.setup.clock,
        repeatable=tool.is_repeatable,
        remembered=_as_long_as_known(core, tool, step),
    )
    # What the first process sent may still land: a refusal now would say nothing about that.
    trial.doubtful = flight.is_resumed
    return trial
