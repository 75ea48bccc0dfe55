"""Which decisions a case leaves open, and why not the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sagaproof.saga.case_step import CaseStep
from sagaproof.saga.decision import ChoiceName

__all__ = ["Choice", "approval_choices", "choices"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision. `note` is what it would do, or why it cannot be taken; `needs_anyway` holds for retry."""

    name: ChoiceName
    is_possible: bool
    note: str
    needs_anyway: bool = False

    @property
    def line(self) -> str:
        """The choice for reading."""
        if not self.is_possible:
            return f"{self.name}: not possible, {self.note}"
        return f"{self.name}{' (only with anyway)' if self.needs_anyway else ''}: {self.note}"


def choices(steps: Sequence[CaseStep], pivot: CaseStep | None, missed: Sequence[str]) -> tuple[Choice, ...]:
    """The four decisions about an escalated saga, those that are not possible included."""
    return (
        _retry(steps, pivot),
        _go_on(steps, pivot, missed),
        Choice("accept", True, "leave all as it is, with a reason"),  # noqa: FBT003
        Choice("handled", True, "it was settled by hand: say what was done"),  # noqa: FBT003
    )


def approval_choices() -> tuple[Choice, ...]:
    """The two answers to a question."""
    return (
        Choice("approve", True, "this call may be made, once"),  # noqa: FBT003
        Choice("reject", True, "it is refused"),  # noqa: FBT003
    )


def _retry(steps: Sequence[CaseStep], pivot: CaseStep | None) -> Choice:
    left = [step.call_id for step in reversed(steps) if _can_be_undone(step)]
    if not left and (pivot is None or pivot.outcome != "unknown"):
        return Choice("retry", False, "there is nothing that an undo could take back")  # noqa: FBT003
    names = ", ".join(left) or "nothing"
    if pivot is None:
        return Choice("retry", True, f"undo {names}")  # noqa: FBT003
    if pivot.outcome == "unknown":
        note = f"look again whether {pivot.call_id} happened; if it did not, undo {names}"
        return Choice("retry", True, note)  # noqa: FBT003
    note = f"undo {names}, although {pivot.call_id} has happened and stays"
    return Choice("retry", True, note, needs_anyway=True)  # noqa: FBT003


def _can_be_undone(step: CaseStep) -> bool:
    if step.handled:
        return False
    return step.undo in {"failed", "unknown", "not tried"} and step.undo_name is not None


def _go_on(steps: Sequence[CaseStep], pivot: CaseStep | None, missed: Sequence[str]) -> Choice:
    begun = [step.call_id for step in steps if step.undo in {"undone", "failed", "unknown"}]
    if begun:
        return Choice("go on", False, f"undos have been made or tried: {', '.join(begun)}")  # noqa: FBT003
    due = [step.call_id for step in steps if step.owed]
    if pivot is not None and pivot.outcome == "unknown" and not pivot.owed:
        due.insert(0, pivot.call_id)
    if not due and not missed:
        return Choice("go on", False, "no call is still to be done")  # noqa: FBT003
    return Choice("go on", True, f"make what is still to be done: {', '.join([*due, *missed])}")  # noqa: FBT003
