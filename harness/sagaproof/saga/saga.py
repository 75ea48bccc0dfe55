"""One saga, for sync code: calls, and an ending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from sagaproof.saga import ending, turn
from sagaproof.saga.admission import Call
from sagaproof.saga.core import Core
from sagaproof.saga.final import Ending, concluded, ending_of, gives_up
from sagaproof.saga.port import drive
from sagaproof.saga.result import Result
from sagaproof.saga.tool import Tool

__all__ = ["Saga"]


class Saga:
    """The calls of one task, which stand or fall together. May be used from several threads.

    As a context manager it is finished on leaving; an exception gives it up, and goes on to the caller.
    Whatever is no `Exception`, Ctrl-C or exit leaves it as it is, for `recover()` of the next process.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def id(self) -> str:
        """The id under which it was started."""
        return self._core.state.id

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that it can be asked for."""
        return tuple(self._core.setup.tools.values())

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it runs."""
        return ending_of(self._core)

    def call(self, tool: str, args: Mapping[str, Any] | None = None, call_id: str | None = None) -> Result:
        """Make one call of the agent. Raises only if the journal cannot be written: no call fails otherwise.

        The same `call_id` again gives the recorded result and calls nothing. Without one, calls are counted.
        """
        return drive(turn.call(self._core, Call(tool, args or {}, call_id)))

    def call_all(self, calls: Sequence[Call]) -> list[Result]:
        """Make the calls of one turn at once, each in a thread; results in the order of the calls."""
        return drive(turn.call_all(self._core, calls))

    def give_up(self, cause: BaseException | str | None = None) -> Ending:
        """Undo what was done, newest first, or escalate. A second call gives the ending that there is."""
        drive(ending.give_up(self._core, cause))
        return concluded(self._core)

    def finish(self) -> Ending:
        """End well, or escalate what is unknown. A second call gives the ending that there is."""
        drive(ending.finish(self._core))
        return concluded(self._core)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.finish()
        elif gives_up(error):
            self.give_up(error)

    def __repr__(self) -> str:
        state = self._core.state
        return f"<Saga {state.id!r}: {len(state.steps)} steps, {state.status or 'running'}>"
