"""`original-error-kept`: the error that started the unwind is not lost in it."""

from __future__ import annotations

from sagaproof._checks.account import failed_before, is_spoken_of
from sagaproof._checks.answers import told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text
from sagaproof._model.claim import Claim
from sagaproof._model.history import Call, History
from sagaproof._model.point import Phase

__all__ = ["OriginalErrorKept"]


class OriginalErrorKept:
    """The original error is kept.

    If an unwind began because a call failed, then the failure is in the chain of what the saga raises, or a
    case speaks of it. Where the chain ends in an exception of unknown origin, that may be it. Reached when
    such a run raised, or claimed *escalated* with a case.
    """

    slug = "original-error-kept"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: not every saga raises, or escalates, after an unwind."""
        return False

    def judge(self, history: History) -> Verdict:
        """Judge the exception if there is one, else the cases."""
        raised = history.ending.how == "raised"
        escalated = history.claim is Claim.ESCALATED and bool(history.cases)
        if not history.undo_calls or not (raised or escalated):
            return NOT_REACHED
        failed = list(failed_before(history, history.unwind_began))
        if not failed:
            return NOT_REACHED
        original = failed[-1]
        if raised:
            return _judge_errors(history, original, {call.index for call in failed})
        return HELD if is_spoken_of(history, failed) else _unspoken(history, original)


def _judge_errors(history: History, original: Call, failed: set[int]) -> Verdict:
    links = history.ending.errors
    by_undo = next((link for link in links if link.call is not None and _is_undo(history, link.call)), None)
    if by_undo is None or links[-1].call is None or any(link.call in failed for link in links):
        return HELD
    assert by_undo.call is not None
    undo = history.calls[by_undo.call]
    return violated(
        f"raised {by_undo.type} of {call_text(undo)}, but nothing of {call_text(original)}",
        because=f"{asked_for(original)} was told '{told_text(original.last_told)}', which started the unwind",
        calls=[original.index, undo.index],
    )


def _is_undo(history: History, call: int) -> bool:
    return history.calls[call].phase is Phase.UNDO


def _unspoken(history: History, original: Call) -> Verdict:
    case = history.cases[0]
    return violated(
        f"case {case.ref or ''} does not say why the unwind began".replace("  ", " "),
        because=f"{asked_for(original)} was told '{told_text(original.last_told)}', which no case mentions",
        calls=[original.index, case.call],
    )
