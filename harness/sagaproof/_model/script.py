"""What the agent does: tool calls and an ending. An axis of its own, not a fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["OPAQUE", "Answer", "Script", "ToolCall"]


class Answer(NamedTuple):
    """An argument that is only known at run time: `field` of what step `step` (from 1) answered."""

    step: int
    field: str


class ToolCall(NamedTuple):
    """One tool call of the agent. `call_id` is what the model would have sent along."""

    tool: str
    args: Mapping[str, Any]
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """Calls and an ending. `give_up_after` i means: after i calls the agent gives up.

    An opaque script has no calls: the test body decides them.
    """

    name: str
    calls: tuple[ToolCall, ...] = ()
    give_up_after: int | None = None
    opaque: bool = False

    def endings(self) -> tuple[Script, ...]:
        """This script, then the same one given up after each of its calls."""
        if self.opaque or self.give_up_after is not None:
            return (self,)
        cut = (
            Script(f"{self.name}, given up after {i}", self.calls, give_up_after=i)
            for i in range(1, len(self.calls) + 1)
        )
        return (self, *cut)


OPAQUE = Script("opaque", opaque=True)
