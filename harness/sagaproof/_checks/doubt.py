"""Whether a saga can know what became of a call: silence about it, and what ends the doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sagaproof._checks.answers import error_code
from sagaproof._model.event import Told
from sagaproof._model.fault import Fault, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Arrival, Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase

__all__ = ["SILENT_FAULTS", "found_at", "in_doubt", "is_found", "is_silence", "pivot_calls"]

_SILENT: Final = frozenset(
    {
        Learnt.TIMEOUT,
        Learnt.RESET,
        Learnt.TORN,
        Learnt.GARBAGE,
        Learnt.EMPTY,
        Learnt.ACCEPTED,
        Learnt.CANCELLED,
    }
)
_UNAVAILABLE: Final = 503  # the service says that it did not take the call up: RFC 9110, section 15.6.4
_GONE: Final = frozenset({404, 410})
_FINAL: Final = frozenset(
    {"applied", "fenced", "failed", "rejected", "declined", "refused", "cancelled", "canceled", "void"}
)
"""States of which no later read shows another. `absent` is none: the call may still be on its way."""


def is_silence(told: Told) -> bool:
    """Whether an answer leaves it open what became of its call: none, one that cannot be read, or a 5xx.

    Not so a 503: to take it for 'not done' is usual, and retries rest on it.
    """
    if told.learnt == Learnt.STATUS:
        return (told.status or 0) >= 500 and told.status != _UNAVAILABLE
    return told.learnt in _SILENT


def _is_silent(fault: Fault) -> bool:
    by_status = fault.learnt is Learnt.STATUS and (fault.status or 0) >= 500 and fault.status != _UNAVAILABLE
    return by_status or fault.learnt in _SILENT or fault.learnt is Learnt.DEATH


SILENT_FAULTS: Final = frozenset(name for name, fault in FAULTS.items() if _is_silent(fault))
"""The kinds of fault after which nobody knows what became of the call."""


def pivot_calls(history: History) -> Iterator[Call]:
    """The calls on the way there that are irreversible if they take effect."""
    return (
        call
        for call in history.calls
        if call.operation.cls is EffectClass.IRREVERSIBLE and call.phase is Phase.FORWARD
    )


def in_doubt(history: History, call: Call, at: int) -> Arrival | None:
    """The attempt of a call that was still in doubt at a position of the history; None if there was none.

    A success ends the doubt, and so does a fence, an undo or cancellation of the call that was answered, and
    a read that shows a state which lasts. A refusal of a later attempt does not: the first may still land.
    """
    doubtful = []
    for arrival in call.arrivals:
        told = arrival.told
        if arrival.position >= at or arrival.told_position >= at:
            continue
        if told is not None and (told.ok or _says_where_it_stands(told)):
            return None
        if told is None or is_silence(told):
            doubtful.append(arrival)
    return next((one for one in doubtful if not _is_resolved(history, call, one, at)), None)


def _says_where_it_stands(told: Told) -> bool:
    """Whether a conflict is about the call itself: fenced off for good, or done already."""
    code = error_code(told)
    return code == "fenced" or code.startswith("already_")


def _is_resolved(history: History, call: Call, doubtful: Arrival, at: int) -> bool:
    since = max(doubtful.position, doubtful.told_position)
    key = doubtful.called.key
    return any(
        arrival.told is not None and since < arrival.told_position < at and _ends_doubt(other, arrival.told)
        for other in history.calls
        if _asks_about(other, call, key)
        for arrival in other.arrivals
    )


def is_found(history: History, call: Call, at: int) -> bool:
    """Whether a read under the key of a call has shown, before that position, that it was applied."""
    return 0 <= found_at(history, call) < at


def found_at(history: History, call: Call) -> int:
    """The position of the first answer to a read under the key of a call that shows it applied; else -1."""
    shown = (
        arrival.told_position
        for other in history.calls
        if other.operation.cls is EffectClass.READ and any(_asks_about(other, call, key) for key in call.keys)
        for arrival in other.arrivals
        if arrival.told is not None and arrival.told.ok and call.started < arrival.told_position
        if isinstance(arrival.told.body, Mapping) and arrival.told.body.get("state") == "applied"
    )
    return min(shown, default=-1) if call.effects else -1


def _asks_about(other: Call, call: Call, key: str | None) -> bool:
    """Whether a call takes this one back, or reads what there is under its key."""
    operation, args = other.operation, other.first.args
    if operation.system != call.operation.system or other is call:
        return False
    if call.operation.name in operation.undoes:
        mine = other.undoes is None or other.undoes.call in {None, call.index}
        return mine and args.get("by_key", key) == key
    return operation.cls is EffectClass.READ and key is not None and key in args.values()


def _ends_doubt(other: Call, told: Told) -> bool:
    if other.operation.cls is EffectClass.READ:
        body = told.body if told.ok and isinstance(told.body, Mapping) else {}
        return str(body.get("state") or body.get("status")) in _FINAL
    code = error_code(told)
    if told.ok or code == "irreversible" or code.startswith("already_"):
        return True
    return told.status in _GONE
