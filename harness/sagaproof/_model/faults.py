"""The table of faults: every kind, simplest first. Its numbers are those of the public fault table."""

from __future__ import annotations

import errno
from typing import Any, Final

from sagaproof._model.fault import CALLS, Applied, Fault, Harm, Lands, Learnt, Scope
from sagaproof._model.point import Phase

__all__ = ["FAULTS", "simplicity"]

_NO, _YES, _LATE, _TWICE, _PARTLY = (
    Applied.NO, Applied.YES, Applied.LATE, Applied.TWICE, Applied.PARTLY,
)  # fmt: skip
_NOT_BACK: Final = frozenset({Phase.FORWARD, Phase.QUERY, Phase.ESCALATE})
_BOTH_WAYS: Final = frozenset({Phase.FORWARD, Phase.UNDO})
_NOT_DESK: Final = CALLS - {Phase.ESCALATE}
_SYSTEM, _OPERATION = Scope.SYSTEM, Scope.OPERATION
_THERE: Final = frozenset({Phase.FORWARD})


def _status(code: int, stands_for: str | None, phases: frozenset[Phase] = CALLS) -> Fault:
    number, family = (2, "outage") if code >= 500 else (3, "rejection")
    meaning = f"not applied, {code}" if code >= 500 else f"refused for good, {code}"
    return Fault(
        str(code), number, family, _NO, Learnt.STATUS, meaning,
        status=code, representative=stands_for, phases=phases,
    )  # fmt: skip


def _rate_limit(name: str, stands_for: str | None, retry_after: str | None, meaning: str) -> Fault:
    """A 429 with one of the forms of Retry-After that RFC 9110, section 10.2.3, allows, or without it."""
    return Fault(
        name, 5, "rate limit", _NO, Learnt.STATUS, meaning,
        status=429, retry_after=retry_after, representative=stands_for,
    )  # fmt: skip


def _from_here(name: str, family: str, status: int, meaning: str, **more: Any) -> Fault:
    """A refusal that lasts: of all calls of the operation, or of the system, that come after."""
    number = 6 if family == "auth" else 8
    return Fault(name, number, family, _NO, Learnt.STATUS, meaning, status=status, spans=False, **more)


def _lost(name: str, number: int, learnt: Learnt, meaning: str, status: int | None = None) -> Fault:
    return Fault(name, number, "lost answer", _YES, learnt, meaning, status=status, writes_only=True)


def _poor(name: str, learnt: Learnt, meaning: str, stands_for: str | None = None) -> Fault:
    """An answer that tells a success and lacks what the caller needs of it."""
    return Fault(
        name,
        27,
        "poor answer",
        _YES,
        learnt,
        meaning,
        phases=_NOT_DESK,
        writes_only=True,
        representative=stands_for,
    )


def _late(name: str, lands: Lands, meaning: str) -> Fault:
    return Fault(
        name, 11, "late effect", _LATE, Learnt.TIMEOUT, meaning, lands=lands, writes_only=True, spans=False
    )


def _accepted(name: str, applied: Applied, lands: Lands | None, meaning: str) -> Fault:
    return Fault(
        name, 14, "asynchronous", applied, Learnt.ACCEPTED, meaning,
        status=202, lands=lands, phases=_BOTH_WAYS, writes_only=True, spans=False,
    )  # fmt: skip


def _meanwhile(name: str, number: int, family: str, meaning: str, lands: Lands = Lands.NEXT_CALL) -> Fault:
    """Somebody else writes after the call: the operation says what, by a trait of the fault's name."""
    return Fault(
        name, number, family, _YES, Learnt.ANSWER, meaning,
        lands=lands, meanwhile=name, trait=name, phases=_THERE, writes_only=True, spans=False,
    )  # fmt: skip


def _partial(name: str, learnt: Learnt, meaning: str, status: int | None = None) -> Fault:
    return Fault(
        name, 4, "partial", _PARTLY, learnt, meaning,
        status=status, trait="bulk", writes_only=True, spans=False,
    )  # fmt: skip


def _clock(name: str, jump_s: float, meaning: str) -> Fault:
    return Fault(
        name, 41, "clock", _YES, Learnt.ANSWER, meaning, jump_s=jump_s, phases=_NOT_DESK, spans=False
    )


def _cancel(
    name: str, applied: Applied, learnt: Learnt, meaning: str, *, cancels_next: bool = False
) -> Fault:
    return Fault(name, 38, "cancel", applied, learnt, meaning, cancels_next=cancels_next, spans=False)


def _event(name: str, applied: Applied, meaning: str, lands: Lands | None = None, number: int = 22) -> Fault:
    """What becomes of an event that a system sends; nobody waits for an answer to one."""
    return Fault(
        name, number, "event", applied, Learnt.ANSWER, meaning,
        lands=lands, phases=frozenset({Phase.EVENT}), trait="event", spans=False,
    )  # fmt: skip


def _crash(name: str, number: int, applied: Applied, meaning: str, phases: frozenset[Phase]) -> Fault:
    """The process dies at a call or at a write into its journal; a read leaves nothing to die after."""
    return Fault(
        name, number, "crash", applied, Learnt.DEATH, meaning,
        lands=Lands.END if applied is Applied.LATE else None,
        spans=False, phases=phases, writes_only=applied is not Applied.NO,
    )  # fmt: skip


def _refused(name: str, applied: Applied, number: int, meaning: str, **more: Any) -> Fault:
    """A store of the saga's own answers a write with an error."""
    return Fault(
        name, 36, "store", applied, Learnt.RAISED, meaning,
        errno=number, phases=frozenset({Phase.JOURNAL}), spans=False, **more,
    )  # fmt: skip


def _harmed(name: str, number: int, harm: Harm, hook: str, meaning: str) -> Fault:
    """A record comes to harm of which a store has said that it is kept; `hook` is how the store is told."""
    return Fault(
        name, number, "store", _YES, Learnt.ANSWER, meaning,
        harm=harm, trait=hook, phases=frozenset({Phase.JOURNAL}), spans=False,
    )  # fmt: skip


_TABLE: Final = (
    _status(503, None),
    _status(500, "503"),
    _status(502, "503"),
    _status(504, "503"),
    _status(422, None),
    _status(403, "422"),
    _status(409, "422", _NOT_BACK),
    _status(404, "422", _NOT_BACK),
    _rate_limit("429", None, "2", "rate limited, 429, retry after 2 s"),
    _rate_limit("429-date", "429", "date", "rate limited, 429, retry after a date"),
    _rate_limit("429-bare", "429", None, "rate limited, 429, not saying for how long"),
    _rate_limit("429-huge", "429", "86400", "rate limited, 429, retry after a day"),
    Fault("401", 6, "auth", _NO, Learnt.STATUS, "the token has expired, 401", status=401),
    _from_here("auth-expired", "auth", 401, "no token is taken any more, 401 from here on", scope=_SYSTEM),
    _from_here(
        "revoked", "auth", 403, "the right was taken away, 403 from here on",
        scope=_SYSTEM, representative="auth-expired",
    ),
    _from_here(
        "removed", "schema drift", 405, "the operation is gone, 405", scope=_OPERATION, phases=_BOTH_WAYS
    ),
    _from_here(
        "drifted", "schema drift", 400, "it asks for a field more from here on, 400",
        scope=_OPERATION, phases=_BOTH_WAYS, representative="removed",
    ),
    Fault("refused", 1, "outage", _NO, Learnt.REFUSED, "not applied, connection refused"),
    Fault("timeout", 10, "silence", _NO, Learnt.TIMEOUT, "not applied, timeout"),
    _lost("lost", 9, Learnt.TIMEOUT, "applied, timeout"),
    _lost("500-applied", 12, Learnt.STATUS, "applied, 500", 500),
    _lost("torn", 13, Learnt.TORN, "applied, answer torn off"),
    Fault("garbage", 28, "lost answer", _YES, Learnt.GARBAGE, "applied, 200 with a page of HTML"),
    Fault(
        "empty", 28, "lost answer", _YES, Learnt.EMPTY, "applied, 200 with an empty body",
        representative="garbage",
    ),
    Fault("soft-error", 30, "soft failure", _NO, Learnt.SOFT, "not applied, 200 with an error inside"),
    _poor("no-ref", Learnt.BARE, "applied, answered without its reference"),
    _poor("nulls", Learnt.NULLS, "applied, answered with nothing in the fields", "no-ref"),
    _poor("renamed", Learnt.RENAMED, "applied, answered with the fields renamed", "no-ref"),
    Fault(
        "stale", 24, "stale read", _YES, Learnt.STALE, "answered from before the latest change",
        reads_only=True,
    ),
    _accepted("accepted", _LATE, Lands.NEXT_CALL, "202, done before the next call"),
    _accepted("accepted-end", _LATE, Lands.END, "202, done after the end"),
    _accepted("accepted-lost", _NO, None, "202, and never done"),
    _late("late", Lands.NEXT_CALL, "timeout, applied before the next call"),
    _late("late-undo", Lands.UNDO, "timeout, applied during the unwind"),
    _late("late-end", Lands.END, "timeout, applied after the end"),
    Fault(
        "slow", 40, "slow", _YES, Learnt.ANSWER, "answered just before the caller gives up",
        slow=True, spans=False,
    ),
    Fault(
        "duplicate", 16, "duplicate", _TWICE, Learnt.ANSWER, "delivered twice", writes_only=True, spans=False
    ),
    Fault(
        "duplicate-changed", 17, "duplicate", Applied.TWICE_CHANGED, Learnt.ANSWER,
        "delivered twice, the second time with other parameters", writes_only=True, spans=False,
    ),
    Fault(
        "again", 34, "duplicate", _TWICE, Learnt.ANSWER, "the undo is invoked again after it succeeded",
        phases=frozenset({Phase.UNDO}), writes_only=True, spans=False,
    ),
    Fault(
        "in-flight", 20, "keys", _YES, Learnt.STATUS, "applied, 409: the first one is still being worked on",
        status=409, code="key_in_use", writes_only=True, phases=_BOTH_WAYS, needs_key=True, spans=False,
    ),
    Fault(
        "stored-500", 19, "keys", _NO, Learnt.STATUS, "not applied, 500, and so for ever under this key",
        status=500, writes_only=True, phases=_BOTH_WAYS, needs_key=True, stored=True, spans=False,
    ),
    Fault(
        "key-expired", 18, "keys", _YES, Learnt.TIMEOUT, "applied, timeout, and the key is forgotten by then",
        writes_only=True, phases=_BOTH_WAYS, needs_key=True, outlasts_key=True, spans=False,
    ),
    _partial("partial", Learnt.STATUS, "applied to the first half, 500", 500),
    _partial("partial-422", Learnt.STATUS, "applied to the first half, 422", 422),
    _partial("some-refused", Learnt.ANSWER, "applied to the first half, answered with what was refused"),
    _meanwhile("meddled", 25, "other writer", "then somebody else changes it"),
    _meanwhile("consumed", 26, "other writer", "then somebody else uses it up"),
    Fault(
        "outage", 7, "outage", _NO, Learnt.REFUSED, "the whole system is unreachable from here on",
        scope=_SYSTEM, spans=False,
    ),
    Fault(
        "outage-30s", 7, "outage", _NO, Learnt.REFUSED, "the whole system is unreachable for 30 s",
        scope=_SYSTEM, lasts_s=30.0, spans=False,
    ),
    _clock("clock-back", -3600.0, "then the clock of the saga is set back by an hour"),
    _clock("clock-ahead", 86400.0, "then the clock of the saga is set forward by a day"),
    Fault(
        "sink-raises", 58, "telemetry", _NO, Learnt.RAISED, "the sink raises", trait="sink", spans=True
    ),
    Fault(
        "sink-blocks", 58, "telemetry", _YES, Learnt.ANSWER, "the sink blocks",
        trait="sink", slow=True, spans=False,
    ),
    _event("event-late", _LATE, "the event comes after the end", Lands.END),
    _event("event-twice", _TWICE, "the event comes twice", number=16),
    _event("event-lost", _NO, "the event never comes"),
    _event("event-reordered", _LATE, "the event comes after the next one", Lands.NEXT_EVENT),
    Fault(
        "dropped", 43, "mail", _NO, Learnt.RESET, "the line drops before the message is handed over",
        trait="mail",
    ),
    Fault(
        "dropped-after", 46, "mail", _YES, Learnt.RESET, "the line drops after the message was taken",
        trait="mail",
    ),
    _meanwhile("bounced", 47, "mail", "accepted, and it comes back after the end", Lands.END),
    Fault(
        "other-ref", 29, "lie", _YES, Learnt.OTHER_REF,
        "applied, answered with the reference of something else",
        opt_in=True, spans=False,
    ),
    Fault(
        "other-amount", 29, "lie", _YES, Learnt.OTHER_AMOUNT, "applied, answered with another amount",
        opt_in=True, spans=False,
    ),
    Fault(
        "rounded", 31, "lie", Applied.OFF, Learnt.ANSWER,
        "applied with the amount off by one, and answered so",
        trait="amount", writes_only=True, opt_in=True, spans=False,
    ),
    _cancel("cancel-before", _NO, Learnt.CANCELLED, "the saga is cancelled before it is sent"),
    _cancel("cancel", _YES, Learnt.CANCELLED, "applied, the saga is cancelled before it learns of it"),
    _cancel("cancel-next", _YES, Learnt.ANSWER, "it is cancelled where it next waits", cancels_next=True),
    _cancel(
        "cancel-twice", _YES, Learnt.CANCELLED, "applied, the saga is cancelled here and where it next waits",
        cancels_next=True,
    ),
    _crash("crash-before", 32, _NO, "the process dies before it", frozenset(Phase)),
    _crash("crash-after", 33, _YES, "the process dies after it, before it learns of it", frozenset(Phase)),
    _crash("crash-late", 33, _LATE, "the process dies; it lands after the end", CALLS),
    Fault(
        "pause", 39, "pause", _YES, Learnt.ANSWER,
        "the process stands still for an hour, another one takes its saga up, then it goes on",
        phases=frozenset(Phase) - {Phase.EVENT}, pauses=True, opt_in=True, spans=False,
    ),
    _refused("write-fails", _NO, errno.EIO, "the store cannot write it"),
    _refused("disk-full", _NO, errno.ENOSPC, "the disk is full, until the next restart", scope=_SYSTEM),
    _refused(
        "read-only", _NO, errno.EROFS, "the store is read-only, until the next restart",
        scope=_SYSTEM, representative="disk-full",
    ),
    _refused("kept-but-error", _YES, errno.EIO, "the store writes it, and says that it has not"),
    _harmed("lost-record", 36, Harm.LOST, "lose", "told that it is kept; it is gone when the process dies"),
    _harmed("torn-record", 36, Harm.TORN, "tear", "the process dies at it, and it is there in part"),
    _harmed("corrupt", 36, Harm.CORRUPT, "garble", "it goes bad, and the process dies one write later"),
    _harmed("version", 37, Harm.FOREIGN, "outdate", "code takes over that does not know such records"),
)  # fmt: skip

FAULTS: Final[dict[str, Fault]] = {fault.name: fault for fault in _TABLE}
"""Every kind of fault by its name in plan texts, simplest first."""

_ORDER = {name: i for i, name in enumerate(FAULTS)}


def simplicity(name: str) -> int:
    """The rank of a fault among all: of two plans that show the same, the simpler is kept."""
    return _ORDER[name]
