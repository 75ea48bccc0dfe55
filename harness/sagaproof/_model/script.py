"""What the agent does: tool calls and an ending. An axis of its own, not a fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "OPAQUE",
    "AfterRestart",
    "Answer",
    "IfFailed",
    "OtherWrite",
    "Script",
    "ToolCall",
    "Turn",
    "Wait",
    "calls_of",
]


class Answer(NamedTuple):
    """An argument that is only known at run time: `field` of what step `step` (from 1) answered.

    A step can also be named by its call id; then it is what that call was answered last.
    """

    step: int | str
    field: str


class IfFailed(StrEnum):
    """What the agent does when a call of it did not go well: it gives up, or it goes on with the next one."""

    GIVE_UP = "give up"
    GO_ON = "go on"


class ToolCall(NamedTuple):
    """One tool call of the agent. `call_id` is what the model would have sent along.

    `if_failed` is what it does when it is told anything but *ok*: see `IfFailed`, or calls that it makes
    instead, before it goes on. In a turn of several calls the agent goes on if all that failed say so.
    """

    tool: str
    args: Mapping[str, Any]
    call_id: str = ""
    if_failed: IfFailed | tuple[ToolCall, ...] = IfFailed.GIVE_UP

    @property
    def tolerates(self) -> bool:
        """Whether the agent goes on after a failure."""
        return self.if_failed is not IfFailed.GIVE_UP


class Wait(NamedTuple):
    """The agent does nothing for so many seconds of virtual time."""

    seconds: float


class OtherWrite(NamedTuple):
    """Somebody else calls `operation` (SYSTEM.OPERATION) of a service meanwhile; the saga is not asked."""

    operation: str
    args: Mapping[str, Any]


Turn: TypeAlias = ToolCall | tuple[ToolCall, ...] | Wait | OtherWrite
"""What comes next in a script: a call, several at once, a pause, or what somebody else does."""


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
    it does after a crash: see `AfterRestart`, or other calls that it makes instead. `afterwards` are calls
    that it makes although it has come to its end; nothing of what they are told changes that. `is_cut`: it is
    also explored given up after each of its calls. An opaque script has no calls: the test body decides them.
    """

    name: str
    calls: tuple[Turn, ...] = ()
    give_up_after: int | None = None
    opaque: bool = False
    after_restart: AfterRestart | tuple[ToolCall, ...] = AfterRestart.GO_ON
    afterwards: tuple[ToolCall, ...] = ()
    is_cut: bool = True

    @property
    def tolerates(self) -> bool:
        """Whether the agent goes on after any failure, so that two runs may differ in what was meant."""
        return any(call.tolerates for turn in self.calls for call in calls_of(turn))

    @property
    def until_a_crash(self) -> Script:
        """The same for all scripts that differ at most in their name and in what is done after a crash."""
        return replace(self, name="", after_restart=AfterRestart.GO_ON)

    def endings(self) -> tuple[Script, ...]:
        """This script, then the same one given up after each of its calls.

        One that goes on otherwise after a restart is explored as it is: what leads up to a crash is that of
        the script that goes on, and an unwind that is cut off by one is met under a pair of faults.
        """
        is_other = self.give_up_after is not None or self.after_restart is not AfterRestart.GO_ON
        if self.opaque or is_other or not self.is_cut:
            return (self,)
        cut = (
            replace(self, name=f"{self.name}, given up after {i}", give_up_after=i)
            for i in range(1, len(self.calls) + 1)
        )
        return (self, *cut)


def calls_of(turn: Turn) -> tuple[ToolCall, ...]:
    """The calls of a turn, if any: a single call is a tuple as well, of its fields."""
    if isinstance(turn, ToolCall):
        return (turn,)
    return () if isinstance(turn, Wait | OtherWrite) else turn


OPAQUE = Script("opaque", opaque=True)
