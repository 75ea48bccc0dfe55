"""The rules of the CRM, pure: versions, and which status may follow which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sagaproof import Refusal

__all__ = [
    "ORDER_STATUSES",
    "PRIORITIES",
    "TICKET_STATUSES",
    "another_order_status",
    "another_ticket_status",
    "check_order_move",
    "check_version",
    "one_of",
]

ORDER_STATUSES: Final = ("pending", "confirmed", "fulfilled", "cancelled")
TICKET_STATUSES: Final = ("open", "pending", "solved", "closed")
PRIORITIES: Final = ("low", "normal", "high", "urgent")

_MOVES: Final[Mapping[str, frozenset[str]]] = {
    "pending": frozenset({"confirmed", "cancelled"}),
    "confirmed": frozenset({"pending", "cancelled", "fulfilled"}),
    "cancelled": frozenset({"pending", "confirmed"}),
    "fulfilled": frozenset(),
}


def check_order_move(order: Mapping[str, Any], status: str) -> None:
    """Refuse (409) a status that may not follow the one an order has; to stay is no move."""
    old = order["status"]
    if status != old and status not in _MOVES[old]:
        raise Refusal(409, "illegal_transition", f"order {order['id']} is {old} and cannot become {status}")


def another_order_status(status: str, before: str) -> str:
    """A status that a colleague may give to an order, neither the one it has nor the one it had."""
    return min(_MOVES[status] - {status, before, "fulfilled"}, default=status)


def another_ticket_status(status: str, before: str) -> str:
    """A status that a colleague may give to a ticket that is not closed, as `another_order_status`."""
    return next(one for one in TICKET_STATUSES if one not in {status, before, "closed"})


def check_version(row: Mapping[str, Any], if_match: str | None) -> None:
    """Refuse (412) a write that was made for another version of the row: it would undo somebody's work.

    `if_match` is the If-Match header of RFC 9110, 13.1.1: versions separated by commas, quoted or not,
    or `*` for any. None asks for nothing.
    """
    if if_match is None:
        return
    wanted = {tag.strip().strip('"') for tag in if_match.split(",")}
    if "*" not in wanted and str(row["version"]) not in wanted:
        raise Refusal(
            412, "version_mismatch", f"{row['id']} has version {row['version']}, the write was for {if_match}"
        )


def one_of(known: tuple[str, ...], value: str, what: str) -> None:
    """Refuse (422) a value that is none of the `known` ones."""
    if value not in known:
        raise Refusal(422, f"unknown_{what}", f"{what} is one of {', '.join(known)}, not {value!r}")
