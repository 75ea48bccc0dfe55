"""Idempotency keys: what a service remembers of a key, for how long, and what it fences off."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sagaproof._model.effect import Change, Record

__all__ = ["LIFETIME_S", "KeyMemory", "Remembered"]

LIFETIME_S: Final = 24 * 3600.0
"""How long a key is remembered unless a system says otherwise: a day, as Stripe documents for its v1 API."""


class Remembered(NamedTuple):
    """What is kept of one key. `state`: done, in-flight or fenced."""

    state: str
    operation: str
    args: Record
    status: int
    body: Any
    changes: tuple[Change, ...]
    at: float


class KeyMemory:
    """The keys of one system. An entry older than `lifetime_s` is forgotten, a fence included."""

    __slots__ = ("entries", "lifetime_s")

    def __init__(self, lifetime_s: float) -> None:
        self.entries: dict[str, Remembered] = {}
        self.lifetime_s = lifetime_s

    def get(self, key: str, now: float) -> Remembered | None:
        """What is remembered of a key at this moment."""
        entry = self.entries.get(key)
        if entry is not None and now - entry.at > self.lifetime_s:
            del self.entries[key]
            return None
        return entry

    def claim(self, key: str, operation: str, args: Record, now: float) -> None:
        """Note that a call with this key is being worked on: the same key is refused until it is done."""
        self.entries[key] = Remembered("in-flight", operation, args, 0, None, (), now)

    def done(
        self,
        key: str,
        operation: str,
        args: Record,
        status: int,
        body: Any,
        *,
        changes: tuple[Change, ...],
        now: float,
    ) -> None:
        """Keep status and body of the first call for its repetitions, an error of the server included."""
        self.entries[key] = Remembered("done", operation, args, status, body, changes, now)

    def fence(self, key: str, operation: str, now: float) -> None:
        """Refuse whatever still arrives under this key."""
        self.entries[key] = Remembered("fenced", operation, {}, 409, None, (), now)
