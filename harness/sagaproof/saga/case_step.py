"""One call as the person on duty has to see it: what was done, what stands, what is to be done now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sagaproof.saga.record import to_text

__all__ = ["CaseStep", "StepOutcome", "UndoOutcome", "shortened"]

StepOutcome: TypeAlias = Literal["ok", "failed, not applied", "unknown", "partial"]

UndoOutcome: TypeAlias = Literal[
    "undone",
    "failed",  # given up: the effect stands
    "unknown",  # it was sent, and may or may not have worked
    "not needed",  # of class 2 or 5, or nothing was applied
    "not tried",  # of class 3 or 4, and nobody has begun to undo it
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStep:
    """One call. `undo_name` and `lookup_name` are what the tool calls its undo and its lookup.

    `owed` says that the saga is past its pivot, or wanted to finish, and this call still has to be made good.
    `note` says why an undo was not tried, where it is not the pivot: "no tool". `handled` is what a person
    has done about it by hand: then nothing is left to do.
    """

    call_id: str
    tool: str
    cls: int
    args: Mapping[str, Any]
    key: str
    outcome: StepOutcome
    ref: Any = None
    before: Any = None
    answer: Any = None
    error: str | None = None
    undo: UndoOutcome = "not needed"
    undo_name: str | None = None
    undo_key: str | None = None
    undo_error: str | None = None
    undo_attempts: int = 0
    undo_how: str = ""
    lookup_name: str | None = None
    owed: bool = False
    note: str = ""
    handled: str = ""

    @property
    def call(self) -> str:
        """The call as it would be written down: `issue_credit(customer="c_1", amount=250000)`."""
        given = ", ".join(f"{name}={to_text(value)}" for name, value in self.args.items())
        return f"{self.tool}({shortened(given)})"

    @property
    def effect(self) -> str:
        """What to look for in the system: the reference, or the key where none is known."""
        return f"key {self.key}" if self.ref is None else f"{_plain(self.ref)} (key {self.key})"

    @property
    def is_applied(self) -> bool:
        """Whether it is known to have changed something."""
        return self.outcome in {"ok", "partial"}

    @property
    def stands(self) -> bool:
        """Whether its effect is known to be there still."""
        return self.is_applied and self.undo in {"failed", "not needed", "not tried"}

    @property
    def is_unknown(self) -> bool:
        """Whether nobody knows if its effect is there."""
        if self.handled:
            return False
        return self.undo == "unknown" or (self.outcome == "unknown" and self.undo != "undone")

    @property
    def undo_order(self) -> str:
        """How to undo it by hand, as the end of a sentence."""
        if self.undo_name is None:
            return f"take back {self.effect} by hand, there is no undo for it"
        key = f", with the undo key {self.undo_key}" if self.undo_key else ""
        before = "" if self.before is None else f"; before, it was {shortened(to_text(self.before))}"
        return f"{self.undo_name} for {self.effect}{key}{before}"


def shortened(text: str, longest: int = 200) -> str:
    """A text on one line, cut off where it is very long; the JSON of a case has the whole of it."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 3] + "..."


def _plain(ref: object) -> str:
    return ref if isinstance(ref, str) else to_text(ref)
