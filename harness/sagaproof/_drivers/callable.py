"""A test body as the saga under test: one opaque script."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import InternalError

__all__ = ["CallableDriver"]


class CallableDriver:
    """Runs `body(world)`, sync or async; what it returns is the claim."""

    def __init__(self, body: Callable[[WorldHandle], Any]) -> None:
        self.body = body
        self.asynchronous = inspect.iscoroutinefunction(inspect.unwrap(body))
        self._world: WorldHandle | None = None

    def start(self, world: WorldHandle, _script: Script) -> None:
        """Keep the world for the body."""
        self._world = world

    def call(self, call: ToolCall) -> Any:
        """An opaque script has no calls of its own."""
        raise InternalError(f"an opaque script was fed the call {call.tool!r}")

    def give_up(self) -> Any:
        """The body decides by itself when to give up."""

    def claim(self) -> Any:
        """Run the body."""
        assert self._world is not None
        return self.body(self._world)
