"""Whether the cases at the desk give an account of a failure that started it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sagaproof._checks.agent_second_thoughts import got_over
from sagaproof._checks.answers import error_code, is_poor
from sagaproof._checks.doubt import is_found
from sagaproof._model.event import Told
from sagaproof._model.fault import Learnt
from sagaproof._model.history import Call, History
from sagaproof._model.point import Phase
from sagaproof._model.words import words_of

__all__ = ["failed_before", "is_spoken_of"]

_UNREADABLE: Final = ("unreadable", "json", "decode", "html", "expecting value")
"""The last is all that the `JSONDecodeError` of the standard library says of it."""

_NAMES_OF: Final[dict[str, tuple[str, ...]]] = {
    Learnt.TIMEOUT: ("timeout", "timed out", "time-out", "no answer"),
    Learnt.RESET: ("reset", "connection", "disconnect"),
    Learnt.REFUSED: ("refused", "connect"),
    Learnt.TORN: ("torn", "incomplete", "reset", "json", "protocol"),
    Learnt.CANCELLED: ("cancel",),
    Learnt.GARBAGE: _UNREADABLE,
    Learnt.EMPTY: _UNREADABLE,
    Learnt.ACCEPTED: ("accepted",),
}


def failed_before(history: History, began: int) -> Iterator[Call]:
    """The calls that had failed when the unwind began, in order of their last answer.

    One whose answer was lost, and of which a look then showed that it was applied, has not failed; nor has
    one whose answer only lacked something. What an agent went on after is not why anything began.
    """
    over = got_over(history)
    failed = [
        (arrival.told_position, call.index)
        for call in history.calls
        if call.phase is Phase.FORWARD
        and call.index not in over
        and not 0 <= call.answered < began
        and not is_found(history, call, began)
        and not any(one.told is not None and is_poor(one.told) for one in call.arrivals)
        for arrival in call.arrivals
        if arrival.told is not None and arrival.told_position < began
    ]
    return (history.calls[index] for _, index in sorted(failed))


def is_spoken_of(history: History, failed: Sequence[Call]) -> bool:
    """Whether a case speaks of the failure of one of these calls.

    Of an error that only a dead process knew nobody can: there it is enough to name the call.
    """
    text = " ".join(word.lower() for case in history.cases for word in words_of(case.args))
    return any(
        name and name.lower() in text
        for call in failed
        for arrival in call.arrivals
        if arrival.told is not None
        for name in (*_names(call, arrival.told), *(call.keys if history.restarted else ()))
    )


def _names(call: Call, told: Told) -> tuple[str, ...]:
    """What any account of this failure would hold: operation, status, code, or the kind of silence."""
    status = "" if told.status is None else str(told.status)
    return (call.operation.name, status, error_code(told), *_NAMES_OF.get(told.learnt, ()))
