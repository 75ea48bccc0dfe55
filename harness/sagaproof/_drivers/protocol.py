"""The one adapter for anything under test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.handle import WorldHandle

__all__ = ["Driver"]


class Driver(Protocol):
    """Starts, feeds, asks and restarts a saga under test. If `asynchronous`, methods may return awaitables.

    A driver of an opaque script gets no `call`: `start` only takes what it needs, and `claim` runs the body.
    """

    @property
    def asynchronous(self) -> bool:
        """Whether runs need an event loop."""

    @property
    def restarts(self) -> bool:
        """Whether it knows what a new process does after a crash; without that none is simulated."""

    def start(self, world: WorldHandle, script: Script) -> Any:
        """Begin a saga in a fresh world."""

    def restart(self, world: WorldHandle) -> Any:
        """Drop all that was kept in memory, and recover from what is durable, as a new process would.

        Of an opaque script the result is the claim. A saga that had come to its end finds nothing to do.
        """

    def call(self, call: ToolCall) -> Any:
        """The agent calls a tool; the result is what the agent sees. May raise, like any tool."""

    def call_all(self, calls: Sequence[ToolCall]) -> Any:
        """The agent calls several tools in one turn: their results in order. None: feed them one by one."""

    def give_up(self) -> Any:
        """The agent abandons the saga: whatever has to be undone is undone now."""

    def claim(self) -> Any:
        """Bring the saga to its end and return what it says of itself, as `read_claim` takes it."""
