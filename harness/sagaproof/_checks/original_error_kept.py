"""`original-error-kept`: the error that started the unwind is not lost in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sagaproof._checks.answers import error_code, told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text
from sagaproof._model.claim import Claim
from sagaproof._model.event import Told
from sagaproof._model.fault import Learnt
from sagaproof._model.history import Call, History
from sagaproof._model.point import Phase
from sagaproof._model.words import words_of

__all__ = ["OriginalErrorKept"]

_NAMES_OF: Final[dict[str, tuple[str, ...]]] = {
    Learnt.TIMEOUT: ("timeout", "timed out", "time-out", "no answer"),
    Learnt.RESET: ("reset", "connection", "disconnect"),
    Learnt.REFUSED: ("refused", "connect"),
    Learnt.TORN: ("torn", "incomplete", "reset", "json", "protocol"),
    Learnt.GARBAGE: ("unreadable", "json", "decode", "html"),
}


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
        failed = list(_failed_before(history, history.unwind_began))
        if not failed:
            return NOT_REACHED
        original = failed[-1]
        if raised:
            return _judge_errors(history, original, {call.index for call in failed})
        return HELD if _is_spoken_of(history, failed) else _unspoken(history, original)


def _failed_before(history: History, began: int) -> Iterator[Call]:
    """The calls that had failed when the unwind began, in order of their last answer."""
    failed = [
        (arrival.told_position, call.index)
        for call in history.calls
        if call.phase is Phase.FORWARD and not 0 <= call.answered < began
        for arrival in call.arrivals
        if arrival.told is not None and arrival.told_position < began
    ]
    return (history.calls[index] for _, index in sorted(failed))


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


def _is_spoken_of(history: History, failed: list[Call]) -> bool:
    text = " ".join(word.lower() for case in history.cases for word in words_of(case.args))
    return any(
        name and name.lower() in text
        for call in failed
        for arrival in call.arrivals
        if arrival.told is not None
        for name in _names(call, arrival.told)
    )


def _names(call: Call, told: Told) -> tuple[str, ...]:
    """What any account of this failure would hold: operation, status, code, or the kind of silence."""
    status = "" if told.status is None else str(told.status)
    return (call.operation.name, status, error_code(told), *_NAMES_OF.get(told.learnt, ()))


def _unspoken(history: History, original: Call) -> Verdict:
    case = history.cases[0]
    return violated(
        f"case {case.ref or ''} does not say why the unwind began".replace("  ", " "),
        because=f"{asked_for(original)} was told '{told_text(original.last_told)}', which no case mentions",
        calls=[original.index, case.call],
    )
