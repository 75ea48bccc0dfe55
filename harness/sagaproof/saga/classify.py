"""What an error says of the call: refused for good, not arrived, or nobody knows.

By duck typing, so that no HTTP library is loaded for it: the status of the error or of its response, the
errors of Python itself, the class names of httpx.
"""

from __future__ import annotations

import socket
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Final

from sagaproof.saga.errors import NotApplied, NothingToUndo, PartialEffect

__all__ = ["Verdict", "classify", "classify_undo", "retry_after", "status_of"]


class Verdict(StrEnum):
    """What is known of the effect after an error."""

    DEFINITE = "definite"
    """Refused for good: not applied, and trying again is of no use."""
    TRANSIENT = "transient"
    """It has certainly not been applied: try again."""
    AMBIGUOUS = "ambiguous"
    """It may have been applied, now or later."""
    NOTHING = "nothing to undo"
    """Of an undo: the effect is not there."""


_UNCLEAR_STATUS: Final = frozenset({408, 409})
"""The request timed out half-way; a conflict, which may be with an earlier attempt of the same call."""

_LATER_STATUS: Final = frozenset({425, 429})
"""Too early, too many requests: turned away before any work (RFC 8470, RFC 6585)."""

_GONE_STATUS: Final = frozenset({404, 410})

_NEVER_SENT: Final = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
"""Errors of httpx from before the first byte of a request."""


def classify(error: Exception) -> Verdict:
    """Judge an error of a forward call. What is not known is ambiguous, which loses nothing."""
    if isinstance(error, NotApplied | PartialEffect):
        return Verdict.DEFINITE
    if isinstance(error, ConnectionRefusedError | socket.gaierror) or _is_before_sending(error):
        return Verdict.TRANSIENT
    status = status_of(error)
    if status in _LATER_STATUS:
        return Verdict.TRANSIENT
    if status is not None and 400 <= status < 500 and status not in _UNCLEAR_STATUS:
        return Verdict.DEFINITE
    return Verdict.AMBIGUOUS


def classify_undo(error: Exception) -> Verdict:
    """Judge an error of an undo: what is not found needs no undoing."""
    if isinstance(error, NothingToUndo) or status_of(error) in _GONE_STATUS:
        return Verdict.NOTHING
    return classify(error)


def status_of(error: Exception) -> int | None:
    """The HTTP status that an error carries: its own `status` or `status_code`, or that of its response."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status"):
            found = getattr(holder, name, None)
            if isinstance(found, int):
                return int(found)
    return None


def _is_before_sending(error: Exception) -> bool:
    return any(
        kind.__name__ in _NEVER_SENT and kind.__module__.partition(".")[0] in {"httpx", "httpcore"}
        for kind in type(error).__mro__
    )


def retry_after(error: Exception, now: float) -> float | None:
    """Seconds that the service asks to wait (RFC 9110, 10.2.3); None if it does not, or not readably."""
    asked = getattr(error, "retry_after", None)
    if asked is None:
        asked = _header(getattr(error, "response", None)) or _header(error)
    if asked is None:
        return None
    try:
        return max(0.0, float(asked))
    except (TypeError, ValueError):
        return _seconds_until(str(asked), now)


def _header(holder: object) -> str | None:
    headers = getattr(holder, "headers", None)
    get = getattr(headers, "get", None)
    if get is None:
        return None
    found = get("retry-after") or get("Retry-After")
    return found if found is None else str(found)


def _seconds_until(date: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    # A date without a zone is in UTC: HTTP knows no other.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)
