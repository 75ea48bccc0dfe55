"""Decisions and questions as the journal has them: who decided what, and what waits for an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from sagaproof.saga.key import part

__all__ = ["Decided", "Question"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One decision that was written down. `at` is in seconds since the epoch, `number` counts from 1.

    `case` is the number of the case that it answers; an answer to a question names its `call_id` instead.
    """

    id: str
    number: int
    choice: str
    by: str
    why: str
    at: float
    case: int = 0
    call_id: str | None = None
    anyway: bool = False
    steps: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, body: dict[str, Any]) -> Self:
        """The decision in a record."""
        return cls(**body)

    @property
    def is_answer(self) -> bool:
        """Whether it answers the question for an approval, and not a case of an escalated saga."""
        return self.choice in {"approve", "reject"}

    @property
    def line(self) -> str:
        """Who decided what, and why, on one line."""
        why = "; ".join(
            [*filter(None, [self.why]), *(f"{step}: {done}" for step, done in self.steps.items())]
        )
        what = f"{self.choice}, anyway" if self.anyway else self.choice
        about = f" {self.call_id}" if self.call_id is not None else ""
        return f"{self.by} decided: {what}{about}{f' ({why})' if why else ''}"


@dataclass(slots=True)
class Question:
    """A call that waits for a person: exactly this tool, with these arguments, under this key, once."""

    call_id: str
    tool: str
    args: dict[str, Any]
    number: int
    at: float
    package: dict[str, Any]
    lifetime_s: float | None = None
    is_sent: bool = False
    is_used: bool = False
    answer: Decided | None = None

    @property
    def is_open(self) -> bool:
        """Whether nobody has answered so far."""
        return self.answer is None

    @property
    def desk_key(self) -> str:
        """What the question is called at the desk, within its saga."""
        again = f"/{self.number}" if self.number > 1 else ""
        return f"approval/{part(self.call_id)}{again}"

    def is_granted(self, now: float) -> bool:
        """Whether the call may be made: approved, not used, not expired."""
        answer = self.answer
        return (
            answer is not None and answer.choice == "approve" and not self.is_used and not self.is_over(now)
        )

    def is_over(self, now: float) -> bool:
        """Whether an approval was given, and too long ago; one that was used is not over."""
        answer = self.answer
        if answer is None or answer.choice != "approve" or self.is_used or self.lifetime_s is None:
            return False
        return now - answer.at >= self.lifetime_s
