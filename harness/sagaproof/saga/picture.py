"""The full picture of a saga: every call and how it stands, made from the state alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sagaproof.saga.case import Case, UndoFailure, build_case
from sagaproof.saga.case_step import CaseStep, StepOutcome, UndoOutcome
from sagaproof.saga.core import Core, copied
from sagaproof.saga.pivot import left_open, made_good, went_well
from sagaproof.saga.result import Outcome
from sagaproof.saga.state import Note, SagaState, StepState, UndoState

__all__ = ["case_of", "is_outstanding", "missed", "owed", "problems", "steps_of"]


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
            if step.undo_state in {UndoState.FAILED, UndoState.UNKNOWN} and not step.handled
        ],
        notes=[note.body["text"] for note in state.notes],
        number=state.case_number + 1,
        decisions=[decided.line for decided in state.decisions],
        missed=[f"{note.body['tool']} ({note.body['call_id']})" for note in missed(state)],
    )


def steps_of(core: Core) -> tuple[CaseStep, ...]:
    """All steps in the order of their calls."""
    debts = {step.call_id for step in owed(core.state)}
    return tuple(_shown(core, step, step.call_id in debts) for step in core.state.steps.values())


def owed(state: SagaState) -> Iterator[StepState]:
    """The calls to be made good.

    Those that are not ok past the pivot; where nothing is undone, those that are unknown too, and those that
    turned out not to be there when the agent could not be told any more. What a person has handled, or had
    made anew, is owed no more.
    """
    pivot = state.pivot
    is_past = False
    unknown = {step.call_id for step in left_open(state)}
    for step in state.steps.values():
        if step.handled or step.is_replaced:
            pass
        elif step.call_id in unknown:
            if is_past or not state.is_unwinding:
                yield step
        elif (is_past or step.untold) and step.outcome is Outcome.FAILED and not made_good(state, step):
            yield step
        is_past = is_past or step is pivot


def missed(state: SagaState) -> list[Note]:
    """The calls that were refused past the pivot and never made after all, each once."""
    found: dict[str, Note] = {}
    for note in state.notes:
        call_id = note.body["call_id"]
        if note.body["pivot"] in state.irreversible and call_id not in found and call_id not in state.handled:
            later = islice(state.steps.values(), note.after, None)
            if not any(went_well(step, note.body["tool"], note.body["args"]) for step in later):
                found[call_id] = note
    return list(found.values())


def problems(state: SagaState) -> list[str]:
    """Why this saga cannot be called completed: what is unknown, what failed unheard or past the pivot."""
    found = [
        f"{step.tool} ({step.call_id}) {'is unknown' if step.is_unsettled else 'has failed'}: "
        f"{step.error or 'nothing was heard of it'}"
        for step in owed(state)
    ]
    return found + [note.body["text"] for note in missed(state)]


def is_outstanding(core: Core) -> bool:
    """Whether something is unknown, owed or not undone that nobody has handled."""
    steps = [step for step in steps_of(core) if not step.handled]
    return bool(missed(core.state)) or any(s.owed or s.is_unknown or s.undo == "failed" for s in steps)


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
        handled=step.handled,
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
