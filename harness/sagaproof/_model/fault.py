"""The kinds of fault, each in two halves: is the effect applied, and does the caller learn it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.point import Phase

__all__ = ["FAULTS", "Applied", "Fault", "Lands", "Learnt", "applicable", "says_not_applied"]


class Applied(StrEnum):
    """The first half: what becomes of the effect."""

    NO = "not applied"
    YES = "applied"
    LATE = "applied late"
    TWICE = "applied twice"


class Learnt(StrEnum):
    """The second half: what the caller gets to see."""

    ANSWER = "answer"
    STATUS = "error status"
    REFUSED = "connection refused"
    TIMEOUT = "timeout"
    RESET = "connection reset"
    TORN = "answer torn off"
    GARBAGE = "garbage"
    SOFT = "200 with an error inside"
    DEATH = "the process dies"


class Lands(StrEnum):
    """When a late effect arrives."""

    NEXT_CALL = "before the next call"
    UNDO = "after the first undo"
    END = "after the end"


_CALLS = frozenset(Phase) - {Phase.JOURNAL}


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault. `number` is its place in the public fault table.

    `representative` names the fault that stands for this one unless all statuses are asked for.
    `retry_after` is the header of a rate limit: seconds, "date" for an HTTP-date two seconds ahead, or None.
    `spans` says whether a duration (`/3`, `/all`) makes a difference; a macro fault lasts by itself.
    """

    name: str
    number: int
    family: str
    applied: Applied
    learnt: Learnt
    meaning: str
    status: int | None = None
    retry_after: str | None = None
    lands: Lands | None = None
    representative: str | None = None
    spans: bool = True
    macro: bool = False
    phases: frozenset[Phase] = _CALLS
    writes_only: bool = False
    trait: str | None = None


def says_not_applied(fault: Fault) -> bool:
    """Whether its caller knows for certain that nothing was applied: it was refused, or never sent."""
    refused = fault.status is not None and fault.status < 500 and fault.applied is Applied.NO
    return refused or fault.learnt in {Learnt.REFUSED, Learnt.SOFT}


_FORWARD = frozenset({Phase.FORWARD, Phase.QUERY, Phase.ESCALATE})


def _status(code: int, stands_for: str | None, phases: frozenset[Phase] = _CALLS) -> Fault:
    number, family = (2, "outage") if code >= 500 else (3, "rejection")
    meaning = f"not applied, {code}" if code >= 500 else f"refused for good, {code}"
    return Fault(
        str(code),
        number,
        family,
        Applied.NO,
        Learnt.STATUS,
        meaning,
        status=code,
        representative=stands_for,
        phases=phases,
    )


def _rate_limit(name: str, stands_for: str | None, retry_after: str | None, meaning: str) -> Fault:
    """A 429 with one of the forms of Retry-After that RFC 9110, section 10.2.3, allows, or without it."""
    return Fault(
        name,
        5,
        "rate limit",
        Applied.NO,
        Learnt.STATUS,
        meaning,
        status=429,
        retry_after=retry_after,
        representative=stands_for,
    )


def _crash(name: str, number: int, applied: Applied, meaning: str, phases: frozenset[Phase]) -> Fault:
    """The process dies at a call or at a write into its journal; a read leaves nothing to die after."""
    return Fault(
        name,
        number,
        "crash",
        applied,
        Learnt.DEATH,
        meaning,
        lands=Lands.END if applied is Applied.LATE else None,
        spans=False,
        phases=phases,
        writes_only=applied is not Applied.NO,
    )


_NO, _YES, _LATE, _TWICE = Applied.NO, Applied.YES, Applied.LATE, Applied.TWICE

_CATALOGUE: Final = (
    _status(503, None),
    _status(500, "503"),
    _status(502, "503"),
    _status(504, "503"),
    _status(422, None),
    _status(403, "422"),
    _status(409, "422", _FORWARD),
    _status(404, "422", _FORWARD),
    _rate_limit("429", None, "2", "rate limited, 429, retry after 2 s"),
    _rate_limit("429-date", "429", "date", "rate limited, 429, retry after a date"),
    _rate_limit("429-bare", "429", None, "rate limited, 429, not saying for how long"),
    _rate_limit("429-huge", "429", "86400", "rate limited, 429, retry after a day"),
    Fault("refused", 1, "outage", _NO, Learnt.REFUSED, "not applied, connection refused"),
    Fault("timeout", 10, "silence", _NO, Learnt.TIMEOUT, "not applied, timeout"),
    Fault("lost", 9, "lost answer", _YES, Learnt.TIMEOUT, "applied, timeout", writes_only=True),
    Fault(
        "500-applied", 12, "lost answer", _YES, Learnt.STATUS, "applied, 500", status=500, writes_only=True
    ),
    Fault("torn", 13, "lost answer", _YES, Learnt.TORN, "applied, answer torn off", writes_only=True),
    Fault("garbage", 28, "lost answer", _YES, Learnt.GARBAGE, "applied, 200 with a page of HTML"),
    Fault("soft-error", 30, "soft failure", _NO, Learnt.SOFT, "not applied, 200 with an error inside"),
    Fault(
        "late",
        11,
        "late effect",
        _LATE,
        Learnt.TIMEOUT,
        "timeout, applied before the next call",
        lands=Lands.NEXT_CALL,
        writes_only=True,
        spans=False,
    ),
    Fault(
        "late-undo",
        11,
        "late effect",
        _LATE,
        Learnt.TIMEOUT,
        "timeout, applied during the unwind",
        lands=Lands.UNDO,
        writes_only=True,
        spans=False,
    ),
    Fault(
        "late-end",
        11,
        "late effect",
        _LATE,
        Learnt.TIMEOUT,
        "timeout, applied after the end",
        lands=Lands.END,
        writes_only=True,
        spans=False,
    ),
    Fault(
        "duplicate",
        16,
        "duplicate",
        _TWICE,
        Learnt.ANSWER,
        "delivered twice",
        writes_only=True,
        spans=False,
    ),
    Fault(
        "again",
        34,
        "duplicate",
        _TWICE,
        Learnt.ANSWER,
        "the undo is invoked again after it succeeded",
        phases=frozenset({Phase.UNDO}),
        writes_only=True,
        spans=False,
    ),
    Fault(
        "outage",
        7,
        "outage",
        _NO,
        Learnt.REFUSED,
        "the whole system is unreachable from here on",
        macro=True,
        spans=False,
    ),
    Fault(
        "dropped",
        43,
        "mail",
        _NO,
        Learnt.RESET,
        "the line drops before the message is handed over",
        trait="mail",
    ),
    Fault(
        "dropped-after",
        46,
        "mail",
        _YES,
        Learnt.RESET,
        "the line drops after the message was taken",
        trait="mail",
    ),
    _crash("crash-before", 32, _NO, "the process dies before it", frozenset(Phase)),
    _crash("crash-after", 33, _YES, "the process dies after it, before it learns of it", frozenset(Phase)),
    _crash("crash-late", 33, _LATE, "the process dies; it lands after the end", _CALLS),
)

FAULTS: dict[str, Fault] = {fault.name: fault for fault in _CATALOGUE}
"""Every kind of fault by its name in plan texts, simplest first."""

_ORDER = {name: i for i, name in enumerate(FAULTS)}


def simplicity(name: str) -> int:
    """The rank of a fault among all: of two plans that show the same, the simpler is kept."""
    return _ORDER[name]


def applicable(fault: Fault, operation: Operation, phase: Phase) -> bool:
    """Whether the fault can be put on a call of this operation in this phase."""
    if phase not in fault.phases or (fault.trait and fault.trait not in operation.traits):
        return False
    if fault.writes_only and operation.cls is EffectClass.READ:
        return False
    if fault.applied is Applied.LATE and "immediate" in operation.traits:
        return False  # an awaited callable cannot be run later by somebody else
    return not (fault.name == "duplicate" and phase is Phase.UNDO)  # there it is called `again`
