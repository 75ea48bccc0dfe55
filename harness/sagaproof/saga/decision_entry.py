"""A decision comes in: it is judged, and written down before anything is done on the strength of it."""

from __future__ import annotations

from typing import Any

from sagaproof.saga.core import Core
from sagaproof.saga.decision import Decision, DecisionRefused
from sagaproof.saga.decision_state import Decided, Question
from sagaproof.saga.errors import SagaMisuse
from sagaproof.saga.picture import case_of

__all__ = ["enter"]


def enter(core: Core, decision: Decision, by: str, name: str | None, case: int | None) -> None:
    """Write the decision down, once; one that is there already is left as it is.

    Raises `DecisionRefused`, and writes nothing, if it cannot be taken.
    """
    if not by.strip():
        raise SagaMisuse('by="": say who decides, for whoever looks later')
    with core.lock:
        known = next((d for d in core.state.decisions if d.id == name), None) if name else None
        if known is not None:
            if not decision.says(known):
                raise DecisionRefused("double", f"the id {name!r} is that of another answer: {known.line}")
            return
        about = _question(core, decision) if decision.is_answer else _case(core, decision, case)
        if about is not None:
            number = len(core.state.decisions) + 1
            body = {"id": name or f"decision-{number}", "number": number, "choice": decision.choice, "by": by}
            body |= {"why": decision.why, "at": core.setup.clock(), "anyway": decision.anyway}
            core.write("decision", {**body, "steps": dict(decision.steps), **about})


def _case(core: Core, decision: Decision, case: int | None) -> dict[str, Any] | None:
    """The number of the case that is answered; None if it was answered so before."""
    state = core.state
    if state.case is None:
        if state.status is None:
            raise DecisionRefused("impossible", f"the saga {state.id!r} has no case: it is running")
        raise DecisionRefused("late", f"the saga {state.id!r} has ended ({state.status}), without a case")
    number = state.case_number if case is None else case
    if not 1 <= number <= state.case_number:
        last = state.case_number
        raise DecisionRefused("impossible", f"the saga {state.id!r} has no case {number}, its last is {last}")
    before = next((d for d in reversed(state.decisions) if not d.is_answer and d.case == number), None)
    if before is not None:
        if decision.says(before):
            return None
        raise _answered(core, before)
    _check_possible(core, decision)
    return {"case": number}


def _answered(core: Core, before: Decided) -> DecisionRefused:
    state = core.state
    if state.settled:
        how = state.settled if state.settled == state.status else f"{state.status}, {state.settled}"
        text = f"the saga {state.id!r} is settled ({how}): {before.line}"
        return DecisionRefused("late", text)
    is_under_way = state.decision is before
    how = "is under way" if is_under_way else f"was done, and case {state.case_number} is open now"
    return DecisionRefused("contradictory", f"another decision {how}: {before.line}")


def _check_possible(core: Core, decision: Decision) -> None:
    case = case_of(core, core.state.cause)
    choice = next(one for one in case.choices if one.name == decision.choice)
    if not choice.is_possible:
        raise DecisionRefused("impossible", f"{decision.choice}: {choice.note}")
    if choice.needs_anyway and not decision.anyway:
        raise DecisionRefused(
            "impossible", f"{decision.choice} needs anyway=True here: it would {choice.note}"
        )
    known = {step.call_id for step in case.steps} | {note.body["call_id"] for note in core.state.notes}
    if unknown := sorted(decision.steps.keys() - known):
        raise DecisionRefused("impossible", f"the saga {case.saga!r} has no call {', '.join(unknown)}")


def _question(core: Core, decision: Decision) -> dict[str, Any] | None:
    """The call that is answered; None if it was answered so before."""
    question = _asked(core, decision.call_id)
    state = core.state
    if question.answer is None:
        if core.is_over:
            how = state.status or "it is ending"
            raise DecisionRefused("late", f"the saga {state.id!r} takes no more calls ({how})")
        return {"call_id": question.call_id}
    if question.is_over(core.setup.clock()):
        text = f"the approval of {question.call_id} has expired. It is asked for again with the next call"
        raise DecisionRefused("late", text)
    if decision.choice == question.answer.choice:
        return None
    raise DecisionRefused("contradictory", f"{question.call_id} was answered: {question.answer.line}")


def _asked(core: Core, call_id: str | None) -> Question:
    questions = core.state.questions
    if call_id is not None:
        found = [question for question in questions if question.call_id == call_id][-1:]
    else:
        found = [question for question in questions if question.is_open] or questions[-1:]
    if not found:
        what = "no call" if call_id is None else f"no call {call_id}"
        raise DecisionRefused("impossible", f"{what} of the saga {core.state.id!r} waits for approval")
    if len(found) > 1:
        names = ", ".join(question.call_id for question in found)
        raise DecisionRefused("impossible", f"several calls wait for approval: {names}. Pass call_id=")
    return found[0]
