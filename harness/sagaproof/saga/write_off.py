"""Sagas that cannot be read: a person may settle one all the same, and it is left alone from then on."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from sagaproof.saga.core import Setup
from sagaproof.saga.decision import Decision, DecisionRefused
from sagaproof.saga.decision_state import Decided
from sagaproof.saga.errors import SagaMisuse
from sagaproof.saga.journal import Leased
from sagaproof.saga.lease_takeover import readable
from sagaproof.saga.state import SagaState

__all__ = ["WriteOffs", "settled_as", "write_off", "written_off"]


@runtime_checkable
class WriteOffs(Protocol):
    """A journal that can keep what was decided about a saga which it cannot read."""

    def write_off(self, saga: str, problem: str, decided: Decided) -> None:
        """Keep it, and have the saga left alone. Raises `Leased`, or `Superseded` if something is kept."""

    def written_off(self) -> dict[str, Decided]:
        """What was decided, by saga."""


def written_off(setup: Setup, saga: str) -> SagaState | None:
    """The state of a saga that was settled so, as far as it can be read; None if it was not."""
    journal = setup.journal
    decided = journal.written_off().get(saga) if isinstance(journal, WriteOffs) else None
    if decided is None:
        return None
    state, _ = readable(journal, saga)
    state.status, state.settled = "escalated", settled_as(decided)
    state.decision, state.is_closed = None, True
    state.decisions.append(decided)
    return state


def settled_as(decided: Decided) -> str:
    """How such a saga is settled, in a word."""
    return "accepted" if decided.choice == "accept" else "handled"


def write_off(
    setup: Setup, saga: str, problem: str, decision: Decision, *, by: str, name: str | None, case: int | None
) -> None:
    """Settle a saga that cannot be read, once. Raises `DecisionRefused` if that cannot be.

    The case of one that is parked has no number, and its calls are not known for sure.
    """
    journal = _journal(setup, by, problem)
    before = journal.written_off().get(saga)
    if before is not None:
        return _again(saga, decision, name, before)
    if decision.choice not in {"accept", "handled"} or decision.steps or case is not None:
        raise DecisionRefused(
            "impossible",
            f"the saga {saga!r} cannot be read, so that it can only be settled as a whole: accept with a "
            f"reason, or handled with what was done; or mend the journal, then retry it. {problem}",
        )
    said = {"id": name or "decision-1", "number": 1, "choice": decision.choice, "by": by}
    try:
        journal.write_off(saga, problem, Decided.of({**said, "why": decision.why, "at": setup.clock()}))
    except Leased as error:
        raise DecisionRefused("contradictory", str(error)) from error


def _journal(setup: Setup, by: str, problem: str) -> WriteOffs:
    if not by.strip():
        raise SagaMisuse('by="": say who decides, for whoever looks later')
    if not isinstance(setup.journal, WriteOffs):
        raise DecisionRefused("impossible", f"this journal can keep no decision about it: {problem}")
    return setup.journal


def _again(saga: str, decision: Decision, name: str | None, before: Decided) -> None:
    if decision.says(before):
        return
    if name == before.id:
        raise DecisionRefused("double", f"the id {name!r} is that of another answer: {before.line}")
    raise DecisionRefused("late", f"the saga {saga!r} was settled before: {before.line}")
