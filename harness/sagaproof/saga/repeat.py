"""Calls that come again: a resumed agent repeats its turns, a careful one what it does not know of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sagaproof.saga.core import Core
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.flight import Flight, refused, told
from sagaproof.saga.result import Outcome, Result
from sagaproof.saga.state import StepState, UndoState
from sagaproof.saga.tool import Tool

__all__ = ["repeated", "taken_up"]


def repeated(
    core: Core, call_id: str, tool: Tool, args: dict[str, Any], kwargs: dict[str, Any]
) -> Flight | Result | None:
    """What to do with a call id that is known: its recorded result. None: the call id is new.

    A call of which nothing at all was heard, since the process died, is sent again under its key if the
    service honours keys, else looked up.
    """
    with core.lock:
        step = core.state.step(call_id)
        if step is None:
            return None
        if step.tool != tool.name or step.args != args:
            return refused(
                f"call id {call_id!r} was used before, for {step.tool} with {step.args}. "
                "Give every call an id of its own"
            )
        if step.call_id in core.flying:
            return Result(Outcome.UNKNOWN, error=f"{call_id} is in flight")
        if step.outcome is not None or core.is_over:
            core.unheard.discard(step.call_id)
            return told(step)
        core.flying.add(step.call_id)
        return Flight(tool, kwargs, step, is_resumed=True)


def taken_up(
    core: Core, call_id: str, tool: Tool, args: dict[str, Any], kwargs: dict[str, Any]
) -> Flight | Result | None:
    """Go on with a call that is asked for again under a new id. None: it is a new one.

    The earlier one is of unknown outcome, or done and the agent was not told so. It is one intent, so it
    keeps its first key: sent anew it might have a second effect. What was done in part is not sent again,
    unless it only sets a state.
    """
    if not core.state.unsettled and not core.unheard:
        return None
    with core.lock:
        step = next((s for s in _open(core) if _is_same(core, s, tool, args)), None)
        if step is None:
            return None
        core.write("note", {"call_id": call_id, "same_as": step.call_id})
        if not step.is_unsettled:
            core.unheard.discard(step.call_id)
            return told(step)
        if step.partial and step.cls > EffectClass.CONVERGENT:
            return told(step)
        core.flying.add(step.call_id)
        return Flight(tool, kwargs, step, is_resumed=True)


def _open(core: Core) -> Iterator[StepState]:
    """The steps of which the agent cannot know what came of them, or may not; none that was taken back."""
    yield from core.state.unsettled.values()
    for call_id in sorted(core.unheard):
        step = core.state.steps[call_id]
        if step.undo_state is UndoState.NONE and not step.handled and not step.is_replaced:
            yield step


def _is_same(core: Core, step: StepState, tool: Tool, args: dict[str, Any]) -> bool:
    return step.tool == tool.name and step.call_id not in core.flying and step.args == args
