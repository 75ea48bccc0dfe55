"""The state of a saga: its records, folded. It is all that a saga goes by, before and after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sagaproof.saga.decision_state import Decided, Question
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.journal import UnreadableJournal
from sagaproof.saga.record import Record
from sagaproof.saga.result import Outcome
from sagaproof.saga.step_state import Note, StepState, UndoState

__all__ = ["Note", "SagaState", "StepState", "UndoState"]

# A look into a dict costs a tenth of a call of the enum, and these are looked up in every fold.
_CLASSES: Final = {int(cls): cls for cls in EffectClass}
_OUTCOMES: Final = {outcome.value: outcome for outcome in Outcome}


@dataclass(slots=True)
class SagaState:
    """What the records of one saga come to. `apply` takes them one by one, in constant time.

    `unheard` is what is done and the agent may not know of: it has asked for nothing since.
    """

    id: str
    number: int = 0
    goal: str | None = None
    steps: dict[str, StepState] = field(default_factory=dict)
    unsettled: dict[str, StepState] = field(default_factory=dict)
    unheard: dict[str, StepState] = field(default_factory=dict)
    irreversible: dict[str, StepState] = field(default_factory=dict)
    same_as: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    is_unwinding: bool = False
    cause: str | None = None
    case: dict[str, Any] | None = None
    case_number: int = 0
    case_sent: bool = False
    status: str | None = None
    settled: str = ""
    decision: Decided | None = None
    decisions: list[Decided] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    handled: dict[str, str] = field(default_factory=dict)
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

    @property
    def is_undecided(self) -> bool:
        """Whether a person has been asked, or is to be, and has not settled it."""
        return self.case is not None and self.decision is None and not self.settled

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
        decision=body.get("decision", 0),
    )
    state.steps[step.call_id] = state.unsettled[step.call_id] = step
    if state.unheard:  # who asks for more has heard of what came before, unless it says otherwise
        still = body.get("unheard", ())
        state.unheard = {call_id: step for call_id, step in state.unheard.items() if call_id in still}
    if step.cls is EffectClass.IRREVERSIBLE:
        state.irreversible[step.call_id] = step
    if "approval" in body:
        state.questions[body["approval"]].is_used = True
    if "again" in body and body["again"] in state.steps:
        state.steps[body["again"]].is_replaced = True


def _outcome(state: SagaState, body: dict[str, Any]) -> None:
    step = state.steps[body["call_id"]]
    step.outcome = _OUTCOMES[body["outcome"]]
    step.answer, step.ref, step.error = body["answer"], body["ref"], body["error"]
    step.partial = body.get("partial", False)
    goes_on = state.decision is not None and state.decision.choice == "go on"
    step.untold = body.get("untold", False) or goes_on
    if step.outcome is not Outcome.UNKNOWN:
        state.unsettled.pop(step.call_id, None)
    if step.outcome is Outcome.OK:
        state.unheard[step.call_id] = step
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
    state.case_number += 1
    state.case_sent, state.decision = False, None


def _case_sent(state: SagaState, _body: dict[str, Any]) -> None:
    state.case_sent = True


def _ended(state: SagaState, body: dict[str, Any]) -> None:
    state.status = body["status"]
    if state.decision is not None:
        state.settled, state.decision = body["settled"], None


def _decision(state: SagaState, body: dict[str, Any]) -> None:
    decided = Decided.of(body)
    if decided.is_answer:
        next(q for q in reversed(state.questions) if q.call_id == decided.call_id).answer = decided
    else:
        state.decision, state.is_closed = decided, False
        _redirect(state, decided)
    state.decisions.append(decided)


def _redirect(state: SagaState, decided: Decided) -> None:
    """What a decision means for the steps: what is given up is so no more, what was handled is done with."""
    state.handled |= decided.steps
    for call_id in state.steps.keys() & decided.steps.keys():
        state.steps[call_id].handled = decided.steps[call_id]
    if decided.choice == "go on":
        state.is_unwinding = False
    elif decided.choice == "retry":
        state.is_unwinding = True
        for step in state.steps.values():
            if step.undo_state in {UndoState.FAILED, UndoState.UNKNOWN} and not step.handled:
                # Unknown: sent, and perhaps done. Such an undo is only sent again where that acts once.
                was_sent = step.undo_state is UndoState.UNKNOWN and step.undoing_at
                step.undo_state = UndoState.UNDOING if was_sent else UndoState.NONE


def _question(state: SagaState, body: dict[str, Any]) -> None:
    state.questions.append(Question(**body))


def _question_sent(state: SagaState, body: dict[str, Any]) -> None:
    state.questions[body["question"]].is_sent = True


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
    "decision": _decision,
    "question": _question,
    "question-sent": _question_sent,
}
