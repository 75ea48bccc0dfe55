"""Driving a saga through its script, up to what it claims. The same steps serve sync and async sagas."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from sagaproof._drivers.claims import error_links, read_claim
from sagaproof._drivers.protocol import Driver
from sagaproof._model.claim import Claim, Ending
from sagaproof._model.script import AfterRestart, Script
from sagaproof._run.feed import feed
from sagaproof._run.pytest_outcomes import is_outcome, tells_pytest
from sagaproof._run.steps import done
from sagaproof._run.where import is_of_user
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import SagaStopped
from sagaproof.errors import SagaproofError

__all__ = ["drive", "drive_on", "recover_only"]

_CANCELLATIONS_MAX = 4
"""How often a recovery that is cancelled is begun again: two faults cancel no more than that."""

ReadClaim = Callable[[Any], object] | None


async def drive(driver: Driver, world: WorldHandle, script: Script, claim: ReadClaim) -> Ending:
    """Run a saga to its end and say how it ended. Only a stop of the whole session gets out of here."""
    return await _ending(driver, _begin(driver, world, script), claim)


async def drive_on(driver: Driver, world: WorldHandle, script: Script, claim: ReadClaim) -> Ending:
    """Recover a saga whose process died, and let its agent do what the script says of that."""
    return await _ending(driver, _go_on(driver, world, script), claim)


async def recover_only(driver: Driver, world: WorldHandle) -> Ending:
    """Start a process that finds the saga at rest; what it says of itself does not matter any more."""
    return await _ending(driver, _recovered(driver, world), lambda _: Claim.COMPLETED)


async def _begin(driver: Driver, world: WorldHandle, script: Script) -> Any:
    await done(driver, driver.start(world, script))
    return await (done(driver, driver.claim()) if script.opaque else feed(driver, world, script))


async def _recovered(driver: Driver, world: WorldHandle) -> Any:
    return await done(driver, driver.restart(world))


async def _go_on(driver: Driver, world: WorldHandle, script: Script) -> Any:
    recovered = await _recovered_at_last(driver, world)
    if script.opaque:
        return recovered
    if script.after_restart is AfterRestart.GIVE_UP:
        return await done(driver, driver.give_up())
    if isinstance(script.after_restart, tuple):
        script = replace(script, calls=script.after_restart, give_up_after=None)
    return await feed(driver, world, script)


async def _recovered_at_last(driver: Driver, world: WorldHandle) -> Any:
    """Recover; a recovery that is cancelled is begun again by whoever starts the process next."""
    for _ in range(_CANCELLATIONS_MAX):
        try:
            return await _recovered(driver, world)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
    return await _recovered(driver, world)


async def _ending(driver: Driver, steps: Awaitable[Any], claim: ReadClaim) -> Ending:
    try:
        return Ending("returned", read_claim(await steps, claim))
    except (KeyboardInterrupt, SagaproofError, GeneratorExit):
        raise
    except SagaStopped as stop:
        return Ending("hung", None, where=stop.why)
    except BaseException as error:
        if is_outcome(error):
            raise
        how = "failed-assertion" if _is_assertion_of(driver, error) else "raised"
        return Ending(how, Claim.RAISED, error_links(error), where=_innermost(error))


def _is_assertion_of(driver: Driver, error: BaseException) -> bool:
    """Whether the test body itself asserted; an assertion inside the saga is one of its errors."""
    if tells_pytest(error):
        return True
    body = getattr(driver, "body", None)
    code = getattr(inspect.unwrap(body), "__code__", None) if body is not None else None
    return isinstance(error, AssertionError) and _innermost_code(error) is code


def _innermost_code(error: BaseException) -> object:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None else trace.tb_frame.f_code


def _innermost(error: BaseException) -> str:
    """`file:line` of the innermost frame of the user's, of the innermost of all if none is theirs."""
    trace, found, theirs = error.__traceback__, "", False
    while trace is not None:
        of_user = is_of_user(trace.tb_frame)
        if of_user or not theirs:
            found, theirs = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}", of_user
        trace = trace.tb_next
    return found
