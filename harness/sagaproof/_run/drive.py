"""Driving a saga through its script, up to what it claims. The same steps serve sync and async sagas."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from sagaproof._drivers.claims import error_links, read_claim
from sagaproof._drivers.protocol import Driver
from sagaproof._model.claim import Claim, Ending
from sagaproof._model.script import Answer, Script, ToolCall
from sagaproof._run.where import is_of_user
from sagaproof._taps.gate import SagaStopped
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import SagaproofError, UsageError

__all__ = ["drive", "finish_sync"]

T = TypeVar("T")


async def drive(
    driver: Driver, world: WorldHandle, script: Script, claim: Callable[[Any], object] | None
) -> Ending:
    """Run a saga to its end and say how it ended. Only a stop of the whole session gets out of here."""
    try:
        await _done(driver, driver.start(world, script))
        said = await (
            _feed(driver, script, faulted=bool(world.gate.plan))
            if not script.opaque
            else _done(driver, driver.claim())
        )
        return Ending("returned", read_claim(said, claim))
    except (KeyboardInterrupt, SagaproofError, GeneratorExit):
        raise
    except SagaStopped as stop:
        return Ending("hung", None, where=stop.why)
    except BaseException as error:
        if _is_outcome(error):
            raise
        how = "failed-assertion" if _is_assertion_of(driver, error) else "raised"
        return Ending(how, Claim.RAISED, error_links(error), where=_innermost(error))


async def _feed(driver: Driver, script: Script, *, faulted: bool) -> Any:
    """Feed the calls; a call that raises makes the agent give up, as does the script's own ending.

    Under a fault, so does an answer that lacks what a later call needs: the agent has nothing to go on with.
    """
    answers: list[Any] = []
    for number, call in enumerate(script.calls, start=1):
        try:
            filled = _filled(call, answers)
        except UsageError:
            if not faulted:
                raise
            return await _done(driver, driver.give_up())
        try:
            answers.append(await _done(driver, driver.call(filled)))
        except SagaproofError:
            raise
        except Exception as error:  # whatever the tool raised is what the agent sees
            if _tells_pytest(error):
                raise
            return await _done(driver, driver.give_up())
        if script.give_up_after == number:
            return await _done(driver, driver.give_up())
    return await _done(driver, driver.claim())


def _filled(call: ToolCall, answers: list[Any]) -> ToolCall:
    """The call with its `Answer` arguments replaced by what the earlier steps returned."""
    args = {name: _lookup(value, answers) for name, value in call.args.items()}
    return ToolCall(call.tool, args, call.call_id)


def _lookup(value: Any, answers: list[Any]) -> Any:
    if not isinstance(value, Answer):
        return value
    if value.step < 1:
        raise UsageError(f"the steps of a script are counted from 1, not {value.step}")
    if value.step > len(answers):
        raise UsageError(f"the script asks for the answer of step {value.step} before it was made")
    try:
        return answers[value.step - 1][value.field]
    except (KeyError, TypeError) as error:
        raise UsageError(
            f"step {value.step} answered {answers[value.step - 1]!r}, which has no {value.field!r}",
            advice="Name a field of the answer in Answer(step, field).",
        ) from error


async def _done(driver: Driver, value: Any) -> Any:
    if not inspect.isawaitable(value):
        return value
    if driver.asynchronous:
        return await value
    if inspect.iscoroutine(value):
        value.close()
    raise _taken_for_synchronous()


def finish_sync(steps: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never really waits, without an event loop."""
    try:
        steps.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # StopIteration carries the coroutine's value
    steps.close()
    raise _taken_for_synchronous()


def _taken_for_synchronous() -> UsageError:
    return UsageError(
        "a saga that was taken for synchronous returned something to await",
        advice="Declare the body with `async def`; of a fed saga its methods, and say in the return "
        "annotation of what makes it which class it is.",
    )


def _is_outcome(error: BaseException) -> bool:
    """Whether pytest is being told something (skip, exit, xfail); a failed assertion is not among these."""
    return _tells_pytest(error) and type(error).__name__ != "Failed"


def _tells_pytest(error: BaseException) -> bool:
    """Whether an exception is an outcome of pytest; some of the classes pass themselves off as built-in."""
    return any(cls.__module__ == "_pytest.outcomes" for cls in type(error).__mro__)


def _is_assertion_of(driver: Driver, error: BaseException) -> bool:
    """Whether the test body itself asserted; an assertion inside the saga is one of its errors."""
    if _tells_pytest(error):
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
