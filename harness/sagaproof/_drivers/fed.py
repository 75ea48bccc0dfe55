"""A saga that is fed calls one by one, as a dispatcher of agent tools is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.handle import WorldHandle

__all__ = ["FedDriver", "FedSaga"]


class FedSaga(Protocol):
    """What a dispatcher has to offer; each method may be async."""

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
        """Call a tool on behalf of the agent and return its result."""

    def give_up(self) -> Any:
        """Unwind and return the claim."""

    def finish(self) -> Any:
        """Return the claim at the end of a script that went through."""


class FedDriver:
    """Starts a fresh saga for each run with `make(world)` and feeds it the calls of a script."""

    def __init__(self, make: Callable[[WorldHandle], FedSaga]) -> None:
        self._make = make
        self._saga: FedSaga | None = None
        self.asynchronous = inspect.iscoroutinefunction(getattr(_returned(make), "call", None))

    def start(self, world: WorldHandle, _script: Script) -> None:
        """Make the saga of this run."""
        self._saga = self._make(world)

    def call(self, call: ToolCall) -> Any:
        """Feed one tool call."""
        return self._current.call(call.tool, dict(call.args), call.call_id)

    def give_up(self) -> Any:
        """Let the saga unwind; what it returns is the claim."""
        return self._current.give_up()

    def claim(self) -> Any:
        """Let the saga finish; what it returns is the claim."""
        return self._current.finish()

    @property
    def _current(self) -> FedSaga:
        assert self._saga is not None
        return self._saga


def _returned(make: Callable[..., Any]) -> object:
    """The class that `make` builds: itself, or its return annotation; None if that cannot be told."""
    if inspect.isclass(make):
        return make
    if not inspect.isfunction(make):
        return None
    try:
        return inspect.get_annotations(make, eval_str=True).get("return")
    except NameError:  # a class that is local to a function, written as a text
        return None
