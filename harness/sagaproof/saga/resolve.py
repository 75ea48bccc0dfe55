"""From unknown to known: what a lookup saw, what a fence shut out, and the outcome that follows."""

from __future__ import annotations

import logging
from functools import partial as bound
from typing import Any, Final

from sagaproof.saga.core import Core, copied, described
from sagaproof.saga.journal import JournalError
from sagaproof.saga.record import NotJson
from sagaproof.saga.result import Outcome
from sagaproof.saga.sighting import ABSENT, Found, Unseen
from sagaproof.saga.state import StepState
from sagaproof.saga.tool import Hook, Tool
from sagaproof.saga.trial import Trial

__all__ = ["applied", "ask", "conclude", "partly_applied", "resolve"]

_LOG: Final = logging.getLogger("sagaproof.saga")


async def resolve(
    core: Core, step: StepState, *, fence: bool, error: str | None = None, untold: bool = False
) -> None:
    """Find out whether an unsettled step was applied, and write it down if that is known now.

    Only with `fence` may "not there" become "never will be": without it the call may still be on its way.
    `error` is what went wrong, to be written down if nothing can be found out; `untold` says that the agent
    will not be told.
    """
    tool = core.tool(step)
    if tool is not None and (not step.partial or core.state.is_unwinding):
        sighting: Found | Unseen | None = await _look(core, tool, step)
        if sighting is ABSENT and fence and not step.partial and core.is_remembered(tool, step.at):
            sighting = await _fence(core, tool, step)
        if isinstance(sighting, Found):
            return await applied(core, step, sighting.answer, looked=True)
        if sighting is None:
            why = f"{error or step.error or 'its answer was lost'}; fenced off, so it never arrives"
            return conclude(core, step, Outcome.FAILED, error=why, untold=untold)
    if error is not None:
        conclude(core, step, Outcome.UNKNOWN, error=error)
    return None


async def _look(core: Core, tool: Tool, step: StepState) -> Found | Unseen:
    """What the lookup sees. Without one nothing is seen, which a fence can still make certain."""
    if tool.lookup is None:
        return ABSENT
    seen = await ask(core, tool, tool.lookup, step)
    if seen.error is None and isinstance(seen.answer, Found | Unseen):
        return seen.answer
    if seen.error is None:
        _LOG.error(
            "the lookup of %s gave %r: it is to give Found, ABSENT or IN_FLIGHT", tool.name, seen.answer
        )
    return Unseen.IN_FLIGHT


async def _fence(core: Core, tool: Tool, step: StepState) -> Found | Unseen | None:
    """None: the call had not arrived and will be refused from now on."""
    if tool.fence is None:
        return ABSENT
    shut = await ask(core, tool, tool.fence, step)
    if shut.error is not None:
        return Unseen.IN_FLIGHT
    if isinstance(shut.answer, Found):
        return shut.answer
    if shut.answer is None or shut.answer is True:
        return None
    _LOG.error("the fence of %s gave %r: it is to give None or Found", tool.name, shut.answer)
    return Unseen.IN_FLIGHT


async def ask(core: Core, tool: Tool, hook: Hook, step: StepState) -> Trial:
    """Ask a hook that may be asked again."""
    attempt = bound(core.send, hook, core.view(step))
    # What an unwind needs to know is asked as often as an undo is tried.
    retry = tool.undo_retry if core.state.is_unwinding else tool.retry
    trial = Trial(attempt, retry, core.judge(tool), core.setup.clock)
    asked = step.call_id
    await trial.run(core.setup.port, not_before=core.again_at.pop(asked, 0.0))
    if trial.again_at:
        core.again_at[asked] = trial.again_at
    return trial


async def applied(core: Core, step: StepState, answer: Any, *, looked: bool = False) -> None:
    """Write down that the effect is there, with the reference by which it will be undone."""
    value, error = _as_json(answer)
    ref, found = await _reference(core, step, value, looked=looked)
    if found:
        return conclude(core, step, Outcome.OK, answer=value, ref=ref, error=error)
    tool = core.tool(step)
    missing = f"the answer has no {tool.ref if tool else 'reference'!r}, by which it would be undone"
    return conclude(core, step, Outcome.UNKNOWN, answer=value, error=error or missing)


async def _reference(core: Core, step: StepState, value: Any, *, looked: bool) -> tuple[Any, bool]:
    """The reference in an answer, and whether the step can be undone with what there is."""
    tool = core.tool(step)
    name = None if tool is None else tool.ref
    if tool is None or name is None:
        return None, True
    ref = _field(value, name)
    if ref is None and not looked and tool.lookup is not None:
        seen = await ask(core, tool, tool.lookup, step)
        if seen.error is None and isinstance(seen.answer, Found):
            ref = _field(_as_json(seen.answer.answer)[0], name)
    return ref, ref is not None or tool.undo_by_key or not tool.cls.is_undone


def partly_applied(core: Core, step: StepState, answer: object, error: str) -> None:
    """Write down that a part of the work is done: unknown to the agent, an effect to the unwind."""
    value, _ = _as_json(answer)
    tool = core.tool(step)
    ref = None if tool is None or tool.ref is None else _field(value, tool.ref)
    conclude(core, step, Outcome.UNKNOWN, answer=value, ref=ref, error=error, partial=True)


def conclude(
    core: Core,
    step: StepState,
    outcome: Outcome,
    *,
    answer: Any = None,
    ref: Any = None,
    error: str | None = None,
    partial: bool = False,
    untold: bool = False,
) -> None:
    """Write the outcome of a step down."""
    body: dict[str, Any] = {
        "call_id": step.call_id,
        "outcome": outcome.value,
        "answer": answer,
        "ref": ref,
        "error": error,
    }
    body |= {name: True for name, is_so in (("partial", partial), ("untold", untold)) if is_so}
    try:
        _write(core, body)
    except JournalError:
        if outcome is not Outcome.OK:
            step.error = error  # no outcome, but this process has heard it, and a case can say it
        raise
    if outcome is Outcome.OK:
        core.unheard.add(step.call_id)  # until somebody is told


def _write(core: Core, body: dict[str, Any]) -> None:
    try:
        core.write("outcome", body)
    except NotJson as unfit:
        kept = f"its answer cannot be kept: {unfit}"
        core.write("outcome", {**body, "answer": None, "error": body["error"] or kept})


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _as_json(answer: Any) -> tuple[Any, str | None]:
    try:
        return copied(answer), None
    except Exception as error:  # noqa: BLE001 - a caller's object; its effect is there all the same
        return None, f"its answer cannot be kept as JSON: {described(error)}"
