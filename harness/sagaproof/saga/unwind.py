"""Back to where it began: all undos, newest call first, unless something irreversible has happened."""

from __future__ import annotations

from sagaproof.saga.core import Core
from sagaproof.saga.escalate import close, escalate
from sagaproof.saga.resolve import resolve
from sagaproof.saga.result import Outcome
from sagaproof.saga.state import SagaState, StepState, UndoState
from sagaproof.saga.undo import undo

__all__ = ["unwind"]


async def unwind(core: Core) -> None:
    """Undo what is left to undo, and end. Goes on where a crash has left it, and never tries twice.

    An undo that was given up before stays so, until a person decides that it is tried again: to come back to
    it later would undo in the wrong order.
    """
    state = core.state
    anyway = state.decision is not None and state.decision.anyway
    for step in list(state.irreversible.values()):
        if step.is_unsettled:
            await resolve(core, step, fence=True)
    if state.pivot is not None and not anyway:
        return await escalate(core)
    for step in reversed(list(state.steps.values())):
        if _is_left(step):
            await undo(core, step)
        elif step.is_unsettled and not step.cls.is_undone:
            # Nothing undoes it, but a fence can keep it from landing after the end.
            await resolve(core, step, fence=True)
    if _has_failed(state):
        return await escalate(core)
    if state.pivot is not None:
        return close(core, "escalated", "undone, but for the pivot")
    if any(step.handled for step in state.steps.values()):
        return close(core, "escalated", "undone, in part by hand")
    return close(core, "compensated")


def _is_left(step: StepState) -> bool:
    return (
        step.cls.is_undone
        and step.outcome is not Outcome.FAILED
        and step.undo_state in {UndoState.NONE, UndoState.UNDOING}
        and not step.handled
    )


def _has_failed(state: SagaState) -> bool:
    given_up = {UndoState.FAILED, UndoState.UNKNOWN}
    return any(s.undo_state in given_up and not s.handled for s in state.steps.values())
