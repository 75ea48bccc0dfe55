"""What the agent is told of one call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic_core import to_json

__all__ = ["Outcome", "Result"]


class Outcome(StrEnum):
    """Three answers and no fourth. `FAILED` is a promise: the call has changed nothing and never will."""

    OK = "ok"
    FAILED = "failed, not applied"
    UNKNOWN = "unknown"


_ADVICE = (
    "It may have been applied or may be applied later. Do not decide as if it were one or the other: "
    "repeat the same call with the same arguments, finish, or give up."
)


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a call, its answer (plain JSON, unless it is a read) and what went wrong.

    `waits`: it was not sent, since a person has to approve it first. The same call again will be, or not.
    """

    outcome: Outcome
    value: Any = None
    error: str | None = None
    waits: bool = False

    @property
    def ok(self) -> bool:
        """Whether the effect is known to be there."""
        return self.outcome is Outcome.OK

    @property
    def text(self) -> str:
        """The result in words for the agent: hand this to the model, it says no more than is known."""
        if self.outcome is Outcome.OK:
            return f"ok: {_as_text(self.value)}" + (f" ({self.error})" if self.error else "")
        if self.outcome is Outcome.FAILED:
            return f"failed, not applied: {self.error}"
        return f"unknown: {self.error}. {_ADVICE}"


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else to_json(value, fallback=repr).decode()
