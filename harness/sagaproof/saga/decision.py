"""What a person decides about a saga, and the refusal of an answer that cannot be taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

from sagaproof.saga.decision_state import Decided
from sagaproof.saga.errors import SagaError, SagaMisuse

__all__ = ["ChoiceName", "Decision", "DecisionRefused", "Reason"]

ChoiceName: TypeAlias = Literal["retry", "go on", "accept", "handled", "approve", "reject"]

Reason: TypeAlias = Literal["late", "double", "contradictory", "impossible"]


class DecisionRefused(SagaError):
    """A decision was not taken: nothing was written down, nothing done.

    `reason`: late (the saga is settled or has ended, or the case was followed by another one), double (the
    id is that of a decision that said something else), contradictory (another decision about this case or
    question is under way or done), impossible (it does not fit how the saga stands).
    """

    def __init__(self, reason: Reason, text: str) -> None:
        self.reason: Reason = reason
        super().__init__(f"{reason}: {text}")


@dataclass(frozen=True, slots=True)
class Decision:
    """One of six answers; make it with the method of its name. `why` is kept in the journal as it is."""

    choice: ChoiceName
    why: str = ""
    anyway: bool = False
    steps: Mapping[str, str] = field(default_factory=dict)
    call_id: str | None = None

    @classmethod
    def retry(cls, why: str = "", *, anyway: bool = False) -> Self:
        """Undo what is not undone, newest first, each undo with all its attempts.

        `anyway`: also what stands before a pivot that was passed, which itself cannot be taken back.
        """
        return cls("retry", why, anyway)

    @classmethod
    def go_on(cls, why: str = "") -> Self:
        """Make the calls that are still to be done: what is unknown under its key, what is not there anew."""
        return cls("go on", why)

    @classmethod
    def accept(cls, why: str) -> Self:
        """Leave all as it is, for this reason. Raises `SagaMisuse` without one."""
        return cls("accept", _said(why, "accept"))

    @classmethod
    def handled(cls, what: str = "", *, steps: Mapping[str, str] | None = None) -> Self:
        """It was settled by hand: `what` was done, or what for which call id.

        With `steps` only those are settled; for what is left then, a new case is opened. Raises `SagaMisuse`
        if nothing is said.
        """
        done = {call_id: _said(text, f"handled of {call_id}") for call_id, text in (steps or {}).items()}
        return cls("handled", what if done else _said(what, "handled"), steps=done)

    @classmethod
    def approve(cls, call_id: str | None = None, *, why: str = "") -> Self:
        """Let one call pass, once: the one that waits, or that with this id where several do."""
        return cls("approve", why, call_id=call_id)

    @classmethod
    def reject(cls, why: str = "", *, call_id: str | None = None) -> Self:
        """Have one call refused: the one that waits, or that with this id where several do."""
        return cls("reject", why, call_id=call_id)

    @property
    def is_answer(self) -> bool:
        """Whether it answers the question for an approval, and not a case of an escalated saga."""
        return self.choice in {"approve", "reject"}

    def says(self, decided: Decided) -> bool:
        """Whether that decision said the same; who said it, and why, does not matter."""
        mine = (self.choice, self.anyway, dict(self.steps))
        same = mine == (decided.choice, decided.anyway, decided.steps)
        return same and (self.call_id is None or self.call_id == decided.call_id)


def _said(text: str, what: str) -> str:
    if not text.strip():
        raise SagaMisuse(f"{what} without a word: say why, or what was done, for whoever looks later")
    return text
