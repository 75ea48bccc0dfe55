"""The rules of the mail service, pure: what an address and a moment look like, and what is due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sagaproof import Refusal

__all__ = ["check_recipient", "is_address", "moment", "seen_at"]


def check_recipient(to: str) -> None:
    """Refuse (422) what is no e-mail address."""
    if not is_address(to):
        raise Refusal(422, "invalid_recipient", f"{to!r} is no e-mail address")


def is_address(to: object) -> bool:
    """Whether this is an e-mail address."""
    if not isinstance(to, str):
        return False
    name, at, domain = to.rpartition("@")
    return bool(name and at and domain) and " " not in to


def moment(send_at: str, now: float) -> str:
    """The moment that an ISO 8601 text means, in UTC; one that has passed is refused (422).

    A text without an offset is in UTC.
    """
    try:
        parsed = datetime.fromisoformat(send_at)
    except ValueError:
        raise Refusal(422, "invalid_time", f"{send_at!r} is no ISO 8601 time") from None
    due = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    if due.timestamp() <= now:
        raise Refusal(422, "time_in_past", f"{send_at} is not in the future")
    return due.isoformat().replace("+00:00", "Z")


def seen_at(scheduled: Mapping[str, Any], now: float) -> Mapping[str, Any]:
    """A scheduled mail as a reader sees it at a moment: once it is due, it is sent."""
    due = datetime.fromisoformat(scheduled["send_at"]).timestamp()
    if scheduled["status"] == "scheduled" and now >= due:
        return {**scheduled, "status": "sent"}
    return scheduled
