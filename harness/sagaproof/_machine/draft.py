"""A script in the making: rules append to it, and nothing is run before it is whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sagaproof._machine.arms import ARMS_MAX, Arm
from sagaproof._model.script import (
    AfterRestart,
    Answer,
    IfFailed,
    OtherWrite,
    Script,
    ToolCall,
    Turn,
    Wait,
    calls_of,
)

__all__ = ["UNKNOWN", "AnswerOf", "Asking", "Draft"]

UNKNOWN = "nobody"
"""An id that nothing has."""

Asking = tuple[str, Mapping[str, Any]]
"""A tool and arguments; some of these may be an `AnswerOf`."""


@dataclass(frozen=True, slots=True)
class AnswerOf:
    """An argument that is a field of what the latest call of a tool was answered, if there was one."""

    tool: str
    field: str


@dataclass(slots=True)
class Draft:
    """What was decided so far.

    `known` are the turns of a script to go by. `arms` are faults for what comes; their calls are named by
    their ids. `rule_of` says by which rule each call came about.
    """

    known: Sequence[Turn] = ()
    turns: list[Turn] = field(default_factory=list)
    given_up: bool = False
    after_restart: AfterRestart | tuple[ToolCall, ...] = AfterRestart.GO_ON
    afterwards: list[ToolCall] = field(default_factory=list)
    _followed: int = 0
    _arms: list[tuple[str, int, int, int]] = field(default_factory=list)
    _ids: int = 0
    rules: list[str] = field(default_factory=list)
    rule_of: dict[str, str] = field(default_factory=dict)

    @property
    def coming(self) -> Sequence[Turn]:
        """What of the known script is still to come."""
        return self.known[self._followed :]

    def follow(self, turns: int) -> None:
        """Take over so many turns of the known script, as far as it goes."""
        coming = self.coming[:turns]
        self._followed += len(coming)
        self.append(*coming)

    def call(self, asking: Asking, call_id: str = "", if_failed: IfFailed = IfFailed.GIVE_UP) -> ToolCall:
        """A call with a new id unless it is given one; its arguments are bound to the calls so far."""
        tool, args = asking
        if not call_id:
            self._ids += 1
            call_id = f"c{self._ids}"
        self.rule_of.setdefault(call_id, self.rules[-1] if self.rules else "")
        return ToolCall(tool, {name: self._bound(value) for name, value in args.items()}, call_id, if_failed)

    def _bound(self, value: Any) -> Any:
        if not isinstance(value, AnswerOf):
            return value
        ids = [call.call_id for call in self.calls if call.tool == value.tool]
        return Answer(ids[-1], value.field) if ids else UNKNOWN

    @property
    def calls(self) -> list[ToolCall]:
        """All calls that are in a turn."""
        return [call for turn in self.turns for call in calls_of(turn)]

    @property
    def last(self) -> ToolCall | None:
        """The call by itself that is the latest turn, unless it was said already what to do if it fails."""
        turn = self.turns[-1] if self.turns and not self.given_up else None
        return turn if isinstance(turn, ToolCall) and not turn.tolerates else None

    def if_last_fails(self, then: IfFailed | tuple[ToolCall, ...]) -> None:
        """Say what the agent does if the latest call fails."""
        last = self.last
        assert last is not None
        self.turns[-1] = last._replace(if_failed=then)

    def append(self, *turns: Turn) -> None:
        """Decide on what comes next."""
        self.turns.extend(turns)
        for turn in turns:
            for call in calls_of(turn):
                self.rule_of.setdefault(call.call_id, self.rules[-1] if self.rules else "")

    @property
    def waits(self) -> int:
        """How often it lets time pass."""
        return sum(isinstance(turn, Wait) for turn in self.turns)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.turns.append(Wait(seconds))

    def other_write(self, operation: str, args: Mapping[str, Any]) -> None:
        """Let somebody else do something."""
        self.turns.append(OtherWrite(operation, args))

    @property
    def may_arm(self) -> bool:
        """Whether there is room for one more fault."""
        return len(self._arms) < ARMS_MAX

    def arm(self, fault: str, times: int, nth: int) -> None:
        """Put a fault on what comes after the calls so far."""
        self._arms.append((fault, times, nth, len(self.turns)))

    @property
    def arms(self) -> list[Arm]:
        """The faults, each after the first call that comes behind where it was armed."""
        found = []
        for fault, times, nth, place in self._arms:
            later = [call for turn in self.turns[place:] for call in calls_of(turn)]
            found.append(Arm(fault, times, nth, later[0].call_id if later else ""))
        return found

    def script(self, name: str) -> Script:
        """The script as it stands."""
        return Script(
            name,
            tuple(self.turns),
            give_up_after=len(self.turns) if self.given_up and self.turns else None,
            after_restart=self.after_restart,
            afterwards=tuple(self.afterwards),
        )
