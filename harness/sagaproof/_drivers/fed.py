"""A saga that is fed calls one by one, as a dispatcher of agent tools is."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

from sagaproof._drivers.recovery import no_recovery
from sagaproof._model.script import Script, ToolCall
from sagaproof._taps.handle import WorldHandle

__all__ = ["FedDriver", "FedSaga"]


class FedSaga(Protocol):
    """What a dispatcher has to offer; each method may be async.

    What `call` returns is what the agent sees. If that has an `outcome` ("ok", "failed, not applied" or
    "unknown"), it is what the agent was told, and a `value` is what it goes on with. A dispatcher that takes
    the calls of one turn together has `call_all` as well, for a list of calls with tool, args and call_id. If
    it says which `tools` it has, each with a `name` and perhaps an `undo`, what is left untested is named.
    """

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
        """Call a tool on behalf of the agent and return its result."""

    def give_up(self) -> Any:
        """Unwind and return the claim."""

    def finish(self) -> Any:
        """Return the claim at the end of a script that went through."""


class FedDriver:
    """Starts a fresh saga for each run with `make(world)` and feeds it the calls of a script.

    After a crash `recover(world)` makes it anew from what is durable; it may be async.
    """

    def __init__(
        self,
        make: Callable[[WorldHandle], FedSaga],
        recover: Callable[[WorldHandle], Any] | None = None,
    ) -> None:
        self._make = make
        self._recover = recover
        self.restarts = recover is not None
        self._saga: FedSaga | None = None
        self.asynchronous = inspect.iscoroutinefunction(getattr(_returned(make), "call", None))

    def __getstate__(self) -> dict[str, Any]:
        """A pickled one has no run behind it."""
        return {**vars(self), "_saga": None}

    def start(self, world: WorldHandle, _script: Script) -> None:
        """Make the saga of this run."""
        self._saga = self._make(world)

    def restart(self, world: WorldHandle) -> Any:
        """Make the saga that goes on after a crash."""
        self._saga = None
        if self._recover is None:
            raise no_recovery()
        made = self._recover(world)
        if inspect.isawaitable(made):
            return self._keep(made)
        self._saga = made
        return None

    async def _keep(self, made: Awaitable[FedSaga]) -> None:
        self._saga = await made

    def call(self, call: ToolCall) -> Any:
        """Feed one tool call."""
        return self._current.call(call.tool, dict(call.args), call.call_id)

    def call_all(self, calls: Sequence[ToolCall]) -> Any:
        """Feed the calls of one turn, if the saga takes them together."""
        together = getattr(self._current, "call_all", None)
        if together is None:
            return None
        return together(list(calls))

    @property
    def has_threads(self) -> bool:
        """Whether a saga that is not asynchronous takes the calls of one turn together: how, nobody knows."""
        return not self.asynchronous and hasattr(self._saga, "call_all")

    def give_up(self) -> Any:
        """Let the saga unwind; what it returns is the claim."""
        return self._current.give_up()

    def claim(self) -> Any:
        """Let the saga finish; what it returns is the claim."""
        return self._current.finish()

    @property
    def tools(self) -> tuple[Any, ...]:
        """What the saga says of the tools that it has; empty if it says nothing."""
        tools = getattr(self._saga, "tools", ())
        return tuple(tools) if isinstance(tools, Iterable) else ()

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
