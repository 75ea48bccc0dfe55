"""What a person has to do next, one line for each call that is not settled."""

from __future__ import annotations

from collections.abc import Sequence

from sagaproof.saga.case_step import CaseStep

__all__ = ["todo"]


def todo(steps: Sequence[CaseStep], pivot: CaseStep | None, *, gave_up: bool) -> tuple[str, ...]:
    """The lines in the order in which to work through them: the pivot, what is owed, then undos, last first.

    What has to be undone depends on whether the pivot was passed, so an unknown pivot comes before all else.
    """
    lines = []
    if pivot is not None and pivot.outcome == "unknown" and not pivot.handled:
        lines.append(_find_pivot(pivot, gave_up=gave_up))
    lines += [_owe(step) for step in steps if step.owed and step is not pivot]
    left = [step for step in reversed(steps) if _is_left(step, pivot)]
    return (*lines, *(f"{step.call_id}: {_undo(step, pivot, gave_up=gave_up)}" for step in left))


def _is_left(step: CaseStep, pivot: CaseStep | None) -> bool:
    """Whether there is, or may be, an effect that somebody has to decide on."""
    if step is pivot or step.owed or step.undo == "undone" or step.handled:
        return False
    if step.undo == "not needed":
        return step.cls == 5 and step.outcome == "unknown"
    return step.outcome != "failed, not applied"


def _find_pivot(pivot: CaseStep, *, gave_up: bool) -> str:
    look = f"{pivot.call_id}: {_find_out(pivot)} It cannot be taken back. "
    if gave_up:
        return f"{look}If it happened, leave the rest as it is; if it did not, undo the rest, last first."
    return f"{look}If it did not happen, do it, or undo the rest, last first."


def _owe(step: CaseStep) -> str:
    if step.outcome == "unknown" and step.cls != 2:
        return f"{step.call_id}: {_find_out(step)} If it did not happen, it is still to be done."
    return f"{step.call_id}: still to be done: {step.call} (key {step.key})."


def _undo(step: CaseStep, pivot: CaseStep | None, *, gave_up: bool) -> str:
    if step.cls == 5:
        return f"{_find_out(step)} It cannot be taken back."
    if step.undo == "unknown":
        return f"see whether {step.effect} still stands. If it does: {step.undo_order}."
    if step.outcome == "unknown":
        if_it_did = "If it did" if gave_up else "If it did, and is not wanted"
        late = "If it did not, make sure that it cannot still arrive."
        return f"{_find_out(step)} {if_it_did}: {step.undo_order}. {late}"
    if step.undo == "failed" or pivot is None:
        return f"undo it by hand{f' ({step.note})' if step.note else ''}: {step.undo_order}."
    if pivot.outcome == "unknown":
        return f"only if {pivot.call_id} did not happen: {step.undo_order}."
    return (
        f"it stands, since {pivot.call_id} cannot be taken back. To undo it nevertheless: {step.undo_order}."
    )


def _find_out(step: CaseStep) -> str:
    means = f" with {step.lookup_name}" if step.lookup_name else ""
    return f"find out{means} whether {step.call} happened (key {step.key})."
