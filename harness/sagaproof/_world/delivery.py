"""What goes into a service and what comes out of it: a delivery, what it did with that, its events."""

from __future__ import annotations

from typing import Any, NamedTuple

from sagaproof._model.effect import Change, Record
from sagaproof._world.keys import Remembered

__all__ = ["Delivery", "Emission", "Handled", "from_memory", "refused"]


class Delivery(NamedTuple):
    """One call as it arrives at a service.

    With `target_key` it means 'undo whatever came, or may still come, under that key', and `args` is empty.
    """

    operation: str
    args: Record
    key: str | None = None
    if_match: str | None = None
    target_key: str | None = None


class Emission(NamedTuple):
    """An event on its way out of a service: its type and what it tells."""

    type: str
    data: Record


class Handled(NamedTuple):
    """What a service did with a delivery. `changes` is empty for reads, refusals and replays.

    `events` are those that it sends of it.
    """

    status: int
    body: Any
    changes: tuple[Change, ...] = ()
    code: str = ""
    replayed: bool = False
    events: tuple[Emission, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the service accepted the call."""
        return self.status < 400


def from_memory(entry: Remembered, delivery: Delivery) -> Handled:
    key = delivery.key
    if entry.state == "fenced":
        return refused(
            409, "fenced", f"key {key!r} was fenced off by an undo: this call will never be applied"
        )
    if entry.operation != delivery.operation or entry.args != delivery.args:
        return refused(
            400, "key_reused", f"key {key!r} was first used with other parameters ({entry.operation})"
        )
    if entry.state == "in-flight":
        return refused(409, "key_in_use", f"the first call under key {key!r} is still being worked on")
    return Handled(entry.status, entry.body, replayed=True)


def refused(status: int, code: str, message: str) -> Handled:
    return Handled(status, {"error": {"code": code, "message": message}}, code=code)
