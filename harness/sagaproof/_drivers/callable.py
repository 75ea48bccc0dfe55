"""A test body as the saga under test: one opaque script."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from sagaproof._drivers.recovery import no_recovery
from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import InternalError

__all__ = ["CallableDriver"]


class CallableDriver:
    """Runs `body(world)`, sync or async; what it returns is the claim. After a crash, `recover(world)` is."""

    def __init__(
        self,
        body: Callable[[WorldHandle], Any],
        recover: Callable[[WorldHandle], Any] | None = None,
    ) -> None:
        self.body = body
        self.asynchronous = inspect.iscoroutinefunction(inspect.unwrap(body))
        self.restarts = recover is not None
        self._recover = recover
        self._world: WorldHandle | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A pickled one has no run behind it."""
        return {**vars(self), "_world": None}

    def start(self, world: WorldHandle, _script: Script) -> None:
        """Keep the world for the body."""
        self._world = world

    def restart(self, world: WorldHandle) -> Any:
        """Recover; never the body again."""
        if self._recover is None:
            raise no_recovery()
        return self._recover(world)

    def call(self, call: ToolCall) -> Any:
        """An opaque script has no calls of its own."""
        raise InternalError(f"an opaque script was fed the call {call.tool!r}")

    def call_all(self, calls: Sequence[ToolCall]) -> Any:
        """An opaque script has no calls of its own."""
        raise InternalError(f"an opaque script was fed {len(calls)} calls")

    def give_up(self) -> Any:
        """The body decides by itself when to give up."""

    def claim(self) -> Any:
        """Run the body."""
        assert self._world is not None
        return self.body(self._world)
