"""`desk-failure-survives`: if the desk cannot be reached at first, the person is told all the same."""

from __future__ import annotations

from sagaproof._checks.answers import told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text, said
from sagaproof._model.effect import Effect
from sagaproof._model.history import Call, History

__all__ = ["DeskFailureSurvives"]


class DeskFailureSurvives:
    """The failure of the desk is survived (O31).

    If an attempt to tell a person failed, then at rest its case is there: the call has taken effect (by
    another attempt, after a restart, or when the saga is asked once more at rest), a case that was opened
    later stands in for it, or one of the same content was there before. An exception that holds what the case
    would have said is no case. Reached by an attempt to tell a person that was not answered with success.
    """

    slug = "desk-failure-survives"
    faults_needed = 3

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever tell a person."""
        return facts.escalates

    def judge(self, history: History) -> Verdict:
        """Judge each call for help that failed at first."""
        if history.asserted or history.smooth:
            return NOT_REACHED
        reached = False
        for call in history.calls:
            if not call.operation.escalates or not _failed(call):
                continue
            reached = True
            if not call.effects and not _is_told_otherwise(history, call):
                return _lost(history, call)
        return HELD if reached else NOT_REACHED


def _failed(call: Call) -> bool:
    return any(arrival.told is None or not arrival.told.ok for arrival in call.arrivals)


def _is_told_otherwise(history: History, call: Call) -> bool:
    return any(_is_later(history, case, call) or _is_the_same(case, call) for case in history.cases)


def _is_later(history: History, case: Effect, call: Call) -> bool:
    return history.applied_at[case.id] > call.started


def _is_the_same(case: Effect, call: Call) -> bool:
    return case.full == call.operation.full and case.args == call.first.args


def _lost(history: History, call: Call) -> Verdict:
    told = f"told '{told_text(call.last_told)}' in the last of its attempts ({len(call.arrivals)})"
    return violated(
        f"{said(history)}, but the case of {call_text(call)} never came to the desk",
        because=f"{asked_for(call)} was {told}, and it was not kept for later",
        calls=[call.index],
    )
