"""A call on its way: admitted, written down, to be sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sagaproof.saga.result import Outcome, Result
from sagaproof.saga.state import StepState
from sagaproof.saga.tool import Tool

__all__ = ["Flight", "refused", "told"]


@dataclass(slots=True)
class Flight:
    """A call that may be sent. A read has no step; a resumed one may have been sent before."""

    tool: Tool
    kwargs: dict[str, Any]
    step: StepState | None = None
    is_resumed: bool = False


def refused(reason: str) -> Result:
    """A call that was not sent."""
    return Result(Outcome.FAILED, error=reason)


def told(step: StepState) -> Result:
    """What the agent is told of a step: what the journal says, and nothing else."""
    outcome = step.outcome or Outcome.UNKNOWN
    error = step.error or (None if outcome is Outcome.OK else "nothing was heard of it")
    return Result(outcome, step.answer, error)
