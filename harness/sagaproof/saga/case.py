"""The case: all that a person needs who has to settle a saga, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from sagaproof.saga.case_step import CaseStep, shortened
from sagaproof.saga.case_text import about_pivot, given_up, numbered, sections
from sagaproof.saga.case_todo import todo
from sagaproof.saga.decision_choice import Choice, approval_choices, choices
from sagaproof.saga.record import as_json

__all__ = ["Case", "CaseStep", "UndoFailure", "build_case"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoFailure:
    """An undo that was given up: one line of the audit trail."""

    call_id: str
    undo: str
    error: str
    attempts: int

    @property
    def line(self) -> str:
        """The undo, how often it was tried, and its last error."""
        return given_up(self.undo, self.error, self.attempts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One saga that a person has to settle, as it stood when it was handed over.

    `cause` is the original error; `pivot` the call id of the first irreversible call that happened or may
    have; `gave_up` whether the saga was to be undone (else it was to be finished). `steps` are in the order
    in which they were called; `todo` in the order in which to work through them. `number` counts the cases of
    the saga from 1: one more is opened when what was decided could not be carried out. `decisions` are the
    lines of those that were taken; `missed` the calls that were refused past the pivot and never made.

    One of the kind "approval" is a question instead: whether the call in `question` may be made. One of the
    kind "parked" is of a saga about which nothing can be decided until it is taken up again.
    """

    saga: str
    goal: str | None
    cause: str | None
    gave_up: bool
    pivot: str | None
    steps: tuple[CaseStep, ...]
    todo: tuple[str, ...]
    undo_failures: tuple[UndoFailure, ...] = ()
    notes: tuple[str, ...] = ()
    number: int = 1
    decisions: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    kind: Literal["escalation", "approval", "parked"] = "escalation"
    question: Mapping[str, Any] | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be decided, and what cannot, with the reason."""
        if self.kind == "approval":
            return approval_choices()
        if self.kind == "parked":
            return ()
        return choices(self.steps, self._pivot, self.missed)

    @property
    def _pivot(self) -> CaseStep | None:
        return next((step for step in self.steps if step.call_id == self.pivot), None)

    @property
    def title(self) -> str:
        """One line that is the same whenever this case is sent again."""
        if self.question is not None:
            return (
                f"Saga {self.saga}: {self.question['tool']} ({self.question['call_id']}) waits for approval"
            )
        undos = [step.undo for step in self.steps if not step.handled]
        unknown = sum(step.is_unknown for step in self.steps)
        owed = sum(step.owed for step in self.steps)
        reasons = [
            f"{count} {what}"
            for count, what in (
                (undos.count("failed"), "could not be undone"),
                (unknown, "unknown"),
                (owed, "still to be done"),
            )
            if count
        ]
        passed = ["past its pivot"] if self.pivot else []
        again = f" (case {self.number})" if self.number > 1 else ""
        return f"Saga {self.saga}{again}: " + (", ".join([*reasons, *passed]) or "needs a person")

    def to_json(self) -> dict[str, Any]:
        """The case as plain JSON; `from_json` reads it back."""
        return {"title": self.title, **as_json(asdict(self))}

    @classmethod
    def from_json(cls, package: Mapping[str, Any]) -> Self:
        """The case that `to_json` gave, as a journal or a desk has kept it."""
        fields = {name: value for name, value in package.items() if name != "title"}
        fields["steps"] = tuple(CaseStep(**step) for step in package["steps"])
        fields["undo_failures"] = tuple(UndoFailure(**failure) for failure in package["undo_failures"])
        lists = {"todo", "notes", "decisions", "missed"} & fields.keys()
        fields |= {name: tuple(fields[name]) for name in lists}
        return cls(**fields)

    def text(self) -> str:
        """The case for reading: what happened, what stands, what to do; ends without a line break."""
        head = [
            self.title,
            "",
            f"goal   {self.goal or 'not told'}",
            f"cause  {shortened(self.cause or 'not told')}",
            f"pivot  {about_pivot(self._pivot, is_parked=self.kind == 'parked')}",
        ]
        given_up = [f"{undo.call_id}  {undo.line}" for undo in self.undo_failures]
        parts = [("What to do", numbered(self.todo))]
        parts += [("What can be decided", [choice.line for choice in self.choices])]
        parts += [("What was decided", list(self.decisions)), *sections(self.steps)]
        parts += [("Undos that were given up", given_up), ("Notes", list(self.notes))]
        for title, lines in parts:
            if lines:
                head += ["", title, *(f"  {line}" for line in lines)]
        return "\n".join(head)


def build_case(
    *,
    saga: str,
    goal: str | None,
    cause: str | None,
    gave_up: bool,
    steps: Iterable[CaseStep],
    pivot: str | None,
    undo_failures: Iterable[UndoFailure] = (),
    notes: Iterable[str] = (),
    number: int = 1,
    decisions: Iterable[str] = (),
    missed: Iterable[str] = (),
) -> Case:
    """The case of these steps, in the order of their calls, with what is to be done next.

    `pivot` is the call id of the first irreversible call that was not refused for good.
    """
    told = tuple(steps)
    passed = next((step for step in told if step.call_id == pivot), None)
    return Case(
        saga=saga,
        goal=goal,
        cause=cause,
        gave_up=gave_up,
        pivot=pivot,
        steps=told,
        todo=todo(told, passed, gave_up=gave_up),
        undo_failures=tuple(undo_failures),
        notes=tuple(notes),
        number=number,
        decisions=tuple(decisions),
        missed=tuple(missed),
    )
