"""How each saga of a journal stands, and what is due: for a person who looks, without any tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sagaproof.saga.case import Case
from sagaproof.saga.journal import UnreadableJournal
from sagaproof.saga.journal_reader import JournalReader
from sagaproof.saga.record import Record
from sagaproof.saga.result import Outcome
from sagaproof.saga.state import SagaState, UndoState
from sagaproof.saga.write_off import settled_as

__all__ = ["Standing", "standing_of", "standings"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One saga: its `state` in words, the age in seconds, the pivot as a call id, and what is due.

    `case` is the one that is open, or the question; `lines` are its records, one line each.
    """

    saga: str
    state: str
    goal: str | None
    age_s: float | None
    pivot: str | None
    due: tuple[str, ...]
    case: Case | None = None
    decisions: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Whether nobody has anything to do about it."""
        return self.state in {"completed", "compensated"} or self.state.startswith("settled")

    def to_json(self) -> dict[str, Any]:
        """The standing as plain JSON."""
        told = {"saga": self.saga, "state": self.state, "goal": self.goal, "age_s": self.age_s}
        case = None if self.case is None else self.case.to_json()
        choices = [] if self.case is None else [one.line for one in self.case.choices]
        more = {"due": list(self.due), "case": case, "choices": choices, "decisions": list(self.decisions)}
        return {**told, "pivot": self.pivot, **more, "records": list(self.lines)}


def standings(journal: JournalReader, now: float) -> Iterator[Standing]:
    """All sagas that are not settled, oldest first."""
    parked = journal.reasons()
    for saga in journal.watched():
        found = standing_of(journal, saga, now, parked)
        if found is not None and not found.is_settled:
            yield found


def standing_of(journal: JournalReader, saga: str, now: float, parked: dict[str, str]) -> Standing | None:
    """One saga, settled or not; None if there is none. One that cannot be read is parked or damaged."""
    try:
        records = journal.read(saga)
        state = SagaState.of(saga, records)
    except UnreadableJournal as error:
        return _unread(journal, saga, error, parked)
    if not records:
        gone = UnreadableJournal(f"none of the records of saga {saga!r} is left")
        return _unread(journal, saga, gone, parked) if saga in journal.bare() else None
    began = records[0].body.get("at")
    age = None if began is None else max(0.0, now - began)
    named, due = _named(state, parked.get(saga))
    pivot = None if state.pivot is None else state.pivot.call_id
    decisions = tuple(decided.line for decided in state.decisions)
    lines = _lines(records)
    return Standing(saga, named, state.goal, age, pivot, due, _case(state), decisions, lines)


def _unread(journal: JournalReader, saga: str, error: UnreadableJournal, parked: dict[str, str]) -> Standing:
    lines = _lines(error.readable)
    decided = journal.written_off().get(saga)
    if decided is None:
        named = "parked" if saga in parked else "damaged"
        return Standing(saga, named, None, None, None, (str(error),), lines=lines)
    named = f"settled: {settled_as(decided)}, though it cannot be read"
    return Standing(saga, named, None, None, None, (str(error),), None, (decided.line,), lines)


def _named(state: SagaState, parked: str | None) -> tuple[str, tuple[str, ...]]:
    if parked is not None:
        return "parked", (parked,)
    if state.decision is not None:
        return "deciding", (state.decision.line,)
    if state.settled and state.status == "escalated":
        return f"settled: {state.settled}", ()
    if state.case is not None and not state.settled:
        return "escalated", tuple(state.case["todo"])
    return (state.status, ()) if state.status is not None else _at_work(state)


def _at_work(state: SagaState) -> tuple[str, tuple[str, ...]]:
    if state.is_unwinding:
        return "unwinding", tuple(_left(state))
    waiting = [question for question in state.questions if question.is_open]
    if waiting:
        return "waiting for approval", tuple(line for one in waiting for line in one.package["todo"])
    return "running", tuple(f"{s.tool} ({s.call_id}) is unknown" for s in state.unsettled.values())


def _left(state: SagaState) -> Iterator[str]:
    for step in reversed(list(state.steps.values())):
        if (
            step.cls.is_undone
            and step.outcome is not Outcome.FAILED
            and step.undo_state is not UndoState.UNDONE
        ):
            yield f"undo {step.tool} ({step.call_id})"


def _case(state: SagaState) -> Case | None:
    waiting = [question for question in state.questions if question.is_open]
    package = state.case if state.case is not None else waiting[0].package if waiting else None
    return None if package is None or state.settled else Case.from_json(package)


def _lines(records: Sequence[Record]) -> tuple[str, ...]:
    return tuple(_line(number, record) for number, record in enumerate(records, start=1))


def _line(number: int, record: Record) -> str:
    """A record for reading; packages are left out."""
    body = record.body
    shown = [f"{name}={body[name]!r}" for name in _SHOWN if body.get(name) not in (None, "", False, {})]
    return " ".join([f"{number:>4}  {record.kind:<13}", *shown]).rstrip()


_SHOWN: Final = (
    *("call_id", "tool", "args", "outcome", "ref", "error", "cause", "how", "text", "choice", "by", "why"),
    *("case", "steps", "status", "settled", "goal"),
)
