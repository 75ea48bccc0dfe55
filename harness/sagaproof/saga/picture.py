"""The full picture of a saga: every call and how it stands, made from the state alone."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof.saga.case import Case, UndoFailure, build_case
from sagaproof.saga.case_step import CaseStep, StepOutcome, UndoOutcome
from sagaproof.saga.core import Core, copied
from sagaproof.saga.pivot import left_open, made_good
from sagaproof.saga.result import Outcome
from sagaproof.saga.state import SagaState, StepState, UndoState

__all__ = ["case_of", "owed", "steps_of"]


def case_of(core: Core, cause: str | None) -> Case:
    """The case for the person on duty."""
    state = core.state
    return build_case(
        saga=state.id,
        goal=state.goal,
        cause=cause,
        gave_up=state.is_unwinding,
        steps=steps_of(core),
        pivot=None if state.pivot is None else state.pivot.call_id,
        undo_failures=[
            UndoFailure(
                call_id=step.call_id,
                undo=step.undo or "",
                error=step.undo_error or "",
                attempts=step.undo_attempts,
            )
            for step in state.steps.values()
            if step.undo_state in {UndoState.FAILED, UndoState.UNKNOWN}
        ],
        notes=[note.body["text"] for note in state.notes],
    )


def steps_of(core: Core) -> tuple[CaseStep, ...]:
    """All steps in the order of their calls."""
    debts = {step.call_id for step in owed(core.state)}
    return tuple(_shown(core, step, step.call_id in debts) for step in core.state.steps.values())


def owed(state: SagaState) -> Iterator[StepState]:
    """The calls to be made good.

    Those that are not ok past the pivot; where nothing is undone, those that are unknown too, and those that
    turned out not to be there when the agent could not be told any more.
    """
    pivot = state.pivot
    is_past = False
    unknown = {step.call_id for step in left_open(state)}
    for step in state.steps.values():
        if step.call_id in unknown:
            if is_past or not state.is_unwinding:
                yield step
        elif (is_past or step.untold) and step.outcome is Outcome.FAILED and not made_good(state, step):
            yield step
        is_past = is_past or step is pivot


def _shown(core: Core, step: StepState, is_owed: bool) -> CaseStep:  # noqa: FBT001 - one caller
    tool = core.tool(step)
    return CaseStep(
        call_id=step.call_id,
        tool=step.tool,
        cls=int(step.cls),
        args=copied(step.args),
        key=step.key,
        outcome=_outcome(step),
        ref=copied(step.ref),
        before=copied(step.before),
        answer=copied(step.answer),
        error=step.error,
        undo=_undo(step),
        undo_name=step.undo,
        undo_key=step.undo_key if step.undo else None,
        undo_error=step.undo_error,
        undo_attempts=step.undo_attempts,
        undo_how=step.how,
        lookup_name=tool.named("lookup") if tool else None,
        owed=is_owed,
        note="" if tool else "no tool",
    )


def _outcome(step: StepState) -> StepOutcome:
    if step.partial:
        return "partial"
    if step.outcome is Outcome.OK:
        return "ok"
    return "failed, not applied" if step.outcome is Outcome.FAILED else "unknown"


def _undo(step: StepState) -> UndoOutcome:
    if step.undo_state is UndoState.UNDONE:
        return "undone"
    if step.undo_state is UndoState.FAILED:
        return "failed"
    if step.undo_state is not UndoState.NONE:
        return "unknown"
    return "not tried" if step.cls.is_undone and step.outcome is not Outcome.FAILED else "not needed"
