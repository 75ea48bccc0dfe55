"""The one adapter for anything under test."""

from __future__ import annotations

from typing import Any, Protocol

from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.handle import WorldHandle

__all__ = ["Driver"]


class Driver(Protocol):
    """Starts a saga under test, feeds it, asks it. Any method may return an awaitable if `asynchronous`.

    A driver of an opaque script gets no `call`: `start` only takes what it needs, and `claim` runs the body.
    """

    @property
    def asynchronous(self) -> bool:
        """Whether runs need an event loop."""

    def start(self, world: WorldHandle, script: Script) -> Any:
        """Begin a saga in a fresh world."""

    def call(self, call: ToolCall) -> Any:
        """The agent calls a tool; the result is what the agent sees. May raise, like any tool."""

    def give_up(self) -> Any:
        """The agent abandons the saga: whatever has to be undone is undone now."""

    def claim(self) -> Any:
        """Bring the saga to its end and return what it says of itself, as `read_claim` takes it."""
