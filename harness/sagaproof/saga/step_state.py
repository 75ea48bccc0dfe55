"""What is known of one call, and how far its undo has come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sagaproof.saga.effect import EffectClass
from sagaproof.saga.result import Outcome

__all__ = ["Note", "StepState", "UndoState"]


class UndoState(StrEnum):
    """How far the undo of a step has come."""

    NONE = ""
    UNDOING = "undoing"
    UNDONE = "undone"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class StepState:
    """What is known of one call."""

    call_id: str
    tool: str
    cls: EffectClass
    args: dict[str, Any]
    key: str
    undo: str | None
    undo_key: str
    before: Any
    at: float
    outcome: Outcome | None = None  # None: sent, or about to be, and nothing was heard
    partial: bool = False
    answer: Any = None
    ref: Any = None
    error: str | None = None
    undo_state: UndoState = UndoState.NONE
    undo_error: str | None = None
    undo_attempts: int = 0
    how: str = ""
    undoing_at: float = 0.0
    untold: bool = False  # found out when the agent could not be told any more
    handled: str = ""  # what a person has done about it by hand
    decision: int = 0  # the number of the decision on whose strength it was made
    is_replaced: bool = False  # a person had it made anew, as another step

    @property
    def is_unsettled(self) -> bool:
        """Whether nobody knows if it was applied, or it was in part."""
        return self.outcome is None or self.outcome is Outcome.UNKNOWN


@dataclass(frozen=True, slots=True)
class Note:
    """A call that was refused by the rules of the pivot, after so many steps."""

    body: dict[str, Any]
    after: int
