"""The state of a saga: its records, folded. It is all that a saga goes by, before and after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from sagaproof.saga.effect import EffectClass
from sagaproof.saga.journal import UnreadableJournal
from sagaproof.saga.record import Record
from sagaproof.saga.result import Outcome

__all__ = ["Note", "SagaState", "StepState", "UndoState"]


# A look into a dict costs a tenth of a call of the enum, and these are looked up in every fold.
_CLASSES: Final = {int(cls): cls for cls in EffectClass}
_OUTCOMES: Final = {outcome.value: outcome for outcome in Outcome}


class UndoState(StrEnum):
    """How far the undo of a step has come."""

    NONE = ""
    UNDOING = "undoing"
    UNDONE = "undone"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class StepState:
    """What is known of one call."""

    call_id: str
    tool: str
    cls: EffectClass
    args: dict[str, Any]
    key: str
    undo: str | None
    undo_key: str
    before: Any
    at: float
    outcome: Outcome | None = None  # None: sent, or about to be, and nothing was heard
    partial: bool = False
    answer: Any = None
    ref: Any = None
    error: str | None = None
    undo_state: UndoState = UndoState.NONE
    undo_error: str | None = None
    undo_attempts: int = 0
    how: str = ""
    undoing_at: float = 0.0
    untold: bool = False  # found out when the agent could not be told any more

    @property
    def is_unsettled(self) -> bool:
        """Whether nobody knows if it was applied, or it was in part."""
        return self.outcome is None or self.outcome is Outcome.UNKNOWN


@dataclass(frozen=True, slots=True)
class Note:
    """A call that was refused by the rules of the pivot, after so many steps."""

    body: dict[str, Any]
    after: int


@dataclass(slots=True)
class SagaState:
    """What the records of one saga come to. `apply` takes them one by one, in constant time."""

    id: str
    number: int = 0
    goal: str | None = None
    steps: dict[str, StepState] = field(default_factory=dict)
    unsettled: dict[str, StepState] = field(default_factory=dict)
    irreversible: dict[str, StepState] = field(default_factory=dict)
    same_as: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    is_unwinding: bool = False
    cause: str | None = None
    case: dict[str, Any] | None = None
    case_sent: bool = False
    status: str | None = None
    is_closed: bool = False

    @classmethod
    def of(cls, saga: str, records: Iterable[Record]) -> SagaState:
        """The state after these records."""
        state = cls(saga)
        for record in records:
            state.apply(record)
        return state

    @property
    def pivot(self) -> StepState | None:
        """The first irreversible call that was not refused for good: passed, or it may have been."""
        return next(iter(self.irreversible.values()), None)

    def step(self, call_id: str) -> StepState | None:
        """The step of a call id, also of one under which another call was repeated."""
        return self.steps.get(self.same_as.get(call_id, call_id))

    def apply(self, record: Record) -> None:
        """Take in the next record."""
        fold = _FOLDS.get(record.kind)
        if fold is None:
            raise UnreadableJournal(
                f"saga {self.id!r} has a record of kind {record.kind!r}, which this version does not know. "
                "Recover it with the version that wrote it"
            )
        try:
            fold(self, record.body)
        except (KeyError, TypeError) as error:
            raise UnreadableJournal(
                f"record {self.number + 1} of saga {self.id!r}, {record.kind}, is not whole or does not "
                f"follow from those before: {error!r}. Settle this saga by hand"
            ) from error
        self.number += 1


def _started(state: SagaState, body: dict[str, Any]) -> None:
    state.goal = body.get("goal")


def _intent(state: SagaState, body: dict[str, Any]) -> None:
    undo = body["undo"]
    step = StepState(
        call_id=body["call_id"],
        tool=body["tool"],
        cls=_CLASSES[body["cls"]],
        args=body["args"],
        key=body["key"],
        undo=undo["name"],
        undo_key=undo["key"],
        before=body["before"],
        at=body["at"],
    )
    state.steps[step.call_id] = state.unsettled[step.call_id] = step
    if step.cls is EffectClass.IRREVERSIBLE:
        state.irreversible[step.call_id] = step


def _outcome(state: SagaState, body: dict[str, Any]) -> None:
    step = state.steps[body["call_id"]]
    step.outcome = _OUTCOMES[body["outcome"]]
    step.answer, step.ref, step.error = body["answer"], body["ref"], body["error"]
    step.partial = body.get("partial", False)
    step.untold = body.get("untold", False)
    if step.outcome is not Outcome.UNKNOWN:
        state.unsettled.pop(step.call_id, None)
    if step.outcome is Outcome.FAILED:
        state.irreversible.pop(step.call_id, None)


def _unwinding(state: SagaState, body: dict[str, Any]) -> None:
    state.is_unwinding = True
    state.cause = body["cause"]


def _undoing(state: SagaState, body: dict[str, Any]) -> None:
    step = state.steps[body["call_id"]]
    step.undo_state, step.undoing_at = UndoState.UNDOING, body["at"]


def _undone(state: SagaState, body: dict[str, Any]) -> None:
    step = state.steps[body["call_id"]]
    step.undo_state, step.how = UndoState.UNDONE, body["how"]
    step.undo_attempts = body["attempts"]


def _undo_failed(state: SagaState, body: dict[str, Any]) -> None:
    step = state.steps[body["call_id"]]
    step.undo_state = UndoState.UNKNOWN if body["unknown"] else UndoState.FAILED
    step.undo_error, step.undo_attempts = body["error"], body["attempts"]


def _note(state: SagaState, body: dict[str, Any]) -> None:
    if "same_as" in body:
        state.same_as[body["call_id"]] = body["same_as"]
    else:
        state.notes.append(Note(body, len(state.steps)))


def _case(state: SagaState, body: dict[str, Any]) -> None:
    state.case = body["package"]
    state.cause = body["cause"]


def _case_sent(state: SagaState, _body: dict[str, Any]) -> None:
    state.case_sent = True


def _ended(state: SagaState, body: dict[str, Any]) -> None:
    state.status = body["status"]


def _closed(state: SagaState, _body: dict[str, Any]) -> None:
    state.is_closed = True


_FOLDS: Final[dict[str, Callable[[SagaState, dict[str, Any]], None]]] = {
    "started": _started,
    "intent": _intent,
    "outcome": _outcome,
    "unwinding": _unwinding,
    "undoing": _undoing,
    "undone": _undone,
    "undo-failed": _undo_failed,
    "note": _note,
    "case": _case,
    "case-sent": _case_sent,
    "ended": _ended,
    "closed": _closed,
}
