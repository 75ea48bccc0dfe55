"""What a test body holds: the systems by name, and the direct taps. It stays the same over all runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sagaproof._model.operation import durable_write
from sagaproof._model.plan import EMPTY
from sagaproof._taps.direct import Direct, ErrorFor
from sagaproof._taps.durable import durable
from sagaproof._taps.gate import Gate
from sagaproof._taps.listeners import Handler
from sagaproof._taps.store import NO_HOOKS, Store
from sagaproof._taps.tools import Tools, ToolSpec
from sagaproof._world.clock import Clock
from sagaproof._world.system import System
from sagaproof._world.world import World
from sagaproof.errors import UsageError, suggest

__all__ = ["WorldHandle"]


class WorldHandle:
    """The world of the current run: `world.crm`, `world.billing`, ... are its systems, empty at each start.

    What set-up methods of a system write is not part of the run; calls over HTTP, `world.direct` and
    `world.tool` are. `world.path` is an empty folder of this run.
    """

    def __init__(self, systems: Mapping[str, System]) -> None:
        self._tools = Tools()
        self.state = World([*systems.values(), self._tools])
        self.gate = Gate(self.state)
        self.direct = Direct(self.state.systems, self._current)
        self._makers: dict[str, Callable[[WorldHandle], Any]] = {}
        self._made: dict[str, Any] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __getattr__(self, name: str) -> Any:
        systems = self.__dict__["state"].systems if "state" in self.__dict__ else {}
        if name in systems:
            return systems[name]
        msg = f"the world has no system {name!r}. {suggest(name, systems)}"
        raise AttributeError(msg)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.state.systems]

    @property
    def clock(self) -> Clock:
        """The virtual clock of the run."""
        return self.state.clock

    @property
    def journal(self) -> Any:
        """A journal for `sagaproof.saga` that is empty at each start and outlives a simulated crash.

        It is the one of production, in memory; every write into it is a point at which the process can die.
        """
        return self._provided("journal")

    def durable(
        self, write: Callable[..., Any], *, name: str = "journal.append", store: Store = NO_HOOKS
    ) -> Callable[..., Any]:
        """Put a tap around a function that writes into a store of the saga's own, sync or async.

        What it has written outlives a simulated crash, each call of it is a point at which the process can
        die (`name` is what plans call it: STORE.FUNCTION), and a dead process cannot write any more. Without
        it, a crash is simulated only as far as the calls to the systems go.

        A store can also refuse a write, which then raises an `OSError`. With `store`, a `Store` of
        `sagaproof.stores`, it says how else it fails: what was written is lost, torn or corrupt.
        """
        owner, dot, function = name.partition(".")
        if not dot or not owner.isidentifier() or not function.isidentifier():
            raise UsageError(f"name={name!r} is no name for a write", advice="Write STORE.FUNCTION.")
        operation = durable_write(owner, function, store.hooks)
        self.state.operations[operation.full] = operation
        return durable(write, operation, self._current, store)

    def on_event(self, handler: Handler, *types: str) -> None:
        """Have `handler` told of the events that systems send: of these types, or of all.

        A type may be a pattern (`payment.*`). The handler takes one event, a dict with `id`, `type` and
        `data`; in an asynchronous saga it may be a coroutine function. It belongs to the process that calls
        this: after a crash `recover` has to say it again. If it raises, the event comes again, up to three
        times. If it returns a claim, that is what the saga says of itself from then on.
        """
        self.gate.events.listeners.add(handler, types)

    def provide(self, name: str, make: Callable[[WorldHandle], Any]) -> None:
        """Say how something that lasts for one run is made, when it is first asked for."""
        self._makers[name] = make

    def _provided(self, name: str) -> Any:
        if name not in self._makers:
            raise UsageError(
                f"there is no world.{name} outside of a run", advice="Ask for it in a test under @explore."
            )
        if name not in self._made:
            self._made[name] = self._makers[name](self)
        return self._made[name]

    @property
    def path(self) -> Path:
        """An empty folder that belongs to this run alone."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="sagaproof-")
        return Path(self._folder.name)

    def tool(
        self,
        fn: Callable[..., Any],
        *,
        cls: int,
        undo: str | Callable[..., Any] | None = None,
        ref: str | None = None,
        amount: str | None = None,
        escalates: bool = False,
        idempotent: bool | None = None,
        errors: ErrorFor | None = None,
        name: str | None = None,
    ) -> Callable[..., Any]:
        """Put a tap around a callable, sync or async, and return the callable to use instead.

        `cls` is its effect class, `undo` the tool (or its name) that takes it back, `ref` the argument or
        the field of the returned mapping that names the object (give any name if the callable returns just
        the reference, as a text), `amount` the one in minor units; `escalates` says that a person is told
        by it.

        Each success counts as an effect. `idempotent` says whether a second one with the same arguments, or
        an undo of what is not there, changes nothing; unless said, that is taken for true of undos of class
        3 or less only. `errors` makes, for a status such as 503, the exception that the callable's own client
        would raise; without it a status arrives as `ToolError`.
        """
        called = name or str(getattr(fn, "__name__", ""))
        if not called.isidentifier():
            raise UsageError(f"{fn!r} has no usable name", advice="Pass name=, an identifier.")
        spec = ToolSpec(called, cls, undo, ref, amount, escalates, idempotent, errors)
        tap = self._tools.wrap(fn, self._current, spec)
        self.state.operations |= {op.full: op for op in self._tools.operations().values()}
        return tap

    def sink(self, fn: Callable[..., Any], *, name: str | None = None) -> Callable[..., Any]:
        """Put a tap around a function that takes logs, traces or metrics, and return the one to use instead.

        It is called as before, but for the faults of family `telemetry`: it raises, or takes as long as its
        caller waits. A saga that ends differently because of that depends on being watched.
        """
        called = name or str(getattr(fn, "__name__", ""))
        if not called.isidentifier():
            raise UsageError(f"{fn!r} has no usable name", advice="Pass name=, an identifier.")
        tap = self._tools.wrap(fn, self._current, ToolSpec(called, 1, sink=True))
        self.state.operations |= {op.full: op for op in self._tools.operations().values()}
        return tap

    def require_undos(self) -> None:
        """Raise `UsageError` for a tool whose undo is none of the tools that the body has wrapped."""
        self._tools.require_undos()

    def begin(self, gate: Gate) -> None:
        """Start a new run: everything empty, calls go through this gate."""
        self.state.reset()
        self.gate = gate
        self._made.clear()
        self.close()

    def close(self) -> None:
        """Remove the folder of the run, if it had one. The handle can be used on."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def fresh_gate(self) -> Gate:
        """A gate without faults, for use outside an exploration."""
        return Gate(self.state, EMPTY)

    def _current(self) -> Gate:
        return self.gate
