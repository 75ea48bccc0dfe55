"""What the agent does: tool calls and an ending. An axis of its own, not a fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

__all__ = ["OPAQUE", "AfterRestart", "Answer", "Script", "ToolCall"]


class Answer(NamedTuple):
    """An argument that is only known at run time: `field` of what step `step` (from 1) answered."""

    step: int
    field: str


class ToolCall(NamedTuple):
    """One tool call of the agent. `call_id` is what the model would have sent along."""

    tool: str
    args: Mapping[str, Any]
    call_id: str = ""


class AfterRestart(StrEnum):
    """What the agent does once its saga has been recovered from a crash.

    It goes on, making its calls again from the first with the same call ids; or it gives up.
    """

    GO_ON = "go on"
    GIVE_UP = "give up"


@dataclass(frozen=True, slots=True)
class Script:
    """Calls and an ending. `give_up_after` i means: after i calls the agent gives up.

    A tuple of calls in `calls` is one turn in which the agent makes them all at once. `after_restart` is what
    it does after a crash: see `AfterRestart`, or other calls that it makes instead. An opaque script has no
    calls: the test body decides them.
    """

    name: str
    calls: tuple[ToolCall | tuple[ToolCall, ...], ...] = ()
    give_up_after: int | None = None
    opaque: bool = False
    after_restart: AfterRestart | tuple[ToolCall, ...] = AfterRestart.GO_ON

    @property
    def until_a_crash(self) -> Script:
        """The same for all scripts that differ at most in their name and in what is done after a crash."""
        return replace(self, name="", after_restart=AfterRestart.GO_ON)

    def endings(self) -> tuple[Script, ...]:
        """This script, then the same one given up after each of its calls.

        One that goes on otherwise after a restart is explored as it is: what leads up to a crash is that of
        the script that goes on, and an unwind that is cut off by one is met under a pair of faults.
        """
        if self.opaque or self.give_up_after is not None or self.after_restart is not AfterRestart.GO_ON:
            return (self,)
        cut = (
            replace(self, name=f"{self.name}, given up after {i}", give_up_after=i)
            for i in range(1, len(self.calls) + 1)
        )
        return (self, *cut)


OPAQUE = Script("opaque", opaque=True)
