"""The parts of a case as lines for reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sagaproof.saga.case_step import CaseStep, shortened

__all__ = ["about_pivot", "given_up", "numbered", "sections"]


def sections(steps: Sequence[CaseStep]) -> list[tuple[str, list[str]]]:
    """Titles and lines: what happened, what stands, was undone, could not be undone, and is unknown."""
    failed = [step for step in steps if step.undo == "failed" or (step.undo == "not tried" and step.note)]
    return [
        ("What happened, in order", [line for step in steps for line in _happened(step)]),
        ("What stands", [_standing(step) for step in steps if step.stands] or ["nothing that is known of"]),
        ("What was settled by hand", [f"{step.call_id}  {step.handled}" for step in steps if step.handled]),
        ("What was undone", [_undone(step) for step in steps if step.undo == "undone"] or ["nothing"]),
        ("What could not be undone, and why", [_failed(step) for step in failed]),
        ("What is unknown, and how to find out", [_unknown(step) for step in steps if step.is_unknown]),
    ]


def about_pivot(pivot: CaseStep | None, *, is_parked: bool) -> str:
    """One line on the irreversible call: none, passed, or perhaps passed; a parked saga may hide one."""
    if pivot is None:
        if is_parked:
            return "none that is known of"
        return "none was reached: everything can be taken back"
    known = "may have happened" if pivot.outcome == "unknown" else "happened"
    return f"{pivot.call_id}, {pivot.tool}, {known}: nothing before it was undone"


def numbered(lines: Iterable[str]) -> list[str]:
    """The lines with their numbers from 1."""
    return [f"{number}. {line}" for number, line in enumerate(lines, start=1)]


def given_up(undo: str, error: str, attempts: int) -> str:
    """An undo that was given up, with its last error."""
    if not attempts:
        return f"{undo} was not sent: {shortened(error)}"
    times = "one attempt" if attempts == 1 else f"{attempts} attempts, the last"
    return f"{undo}, {times}: {shortened(error)}"


def _happened(step: CaseStep) -> list[str]:
    line = f"{step.call_id}  {step.call}: {step.outcome}"
    if step.outcome != "failed, not applied":
        line += f", {step.effect}"
    return [line, f"  {shortened(step.error)}"] if step.error else [line]


def _standing(step: CaseStep) -> str:
    if step.handled:
        why = f"settled by hand: {step.handled}"
    elif step.cls == 2:
        why = "sets a state, there is nothing to undo"
    elif step.cls == 5:
        why = "cannot be taken back"
    else:
        why = "could not be undone" if step.undo == "failed" else "nobody has tried to undo it"
    part = " (a part of it)" if step.outcome == "partial" else ""
    return f"{step.call_id}  {step.tool}, {step.effect}{part}: {why}"


def _undone(step: CaseStep) -> str:
    how = "" if step.undo_how in {"", "undone"} else f": {step.undo_how}"
    return f"{step.call_id}  {step.tool}, {step.effect}, by {step.undo_name or 'its undo'}{how}"


def _failed(step: CaseStep) -> str:
    why = step.note
    if step.undo == "failed":
        why = given_up(
            step.undo_name or "its undo", step.undo_error or "no error was told", step.undo_attempts
        )
    return f"{step.call_id}  {step.tool}, {step.effect}: {why}"


def _unknown(step: CaseStep) -> str:
    what = "whether its undo worked" if step.undo == "unknown" else "whether it happened"
    how = f"ask {step.lookup_name}" if step.lookup_name else "look in the system itself"
    error = step.undo_error if step.undo == "unknown" else step.error
    told = f" ({shortened(error)})" if error else ""
    return f"{step.call_id}  {step.tool}, {what}{told}: {how} for {step.effect}"
