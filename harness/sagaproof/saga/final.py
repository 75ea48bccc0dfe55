"""What the caller is told of a saga that has ended."""

from __future__ import annotations

from asyncio import CancelledError
from dataclasses import dataclass
from enum import StrEnum

from sagaproof.saga.case import Case
from sagaproof.saga.case_step import CaseStep
from sagaproof.saga.core import Core
from sagaproof.saga.decision_state import Decided
from sagaproof.saga.picture import steps_of

__all__ = ["Ending", "Status", "concluded", "ending_of", "gives_up"]


class Status(StrEnum):
    """The three ways in which a saga ends."""

    COMPLETED = "completed"
    COMPENSATED = "compensated"
    ESCALATED = "escalated"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a saga ended.

    `cause` is the original error in words, `error` the exception itself where it is still at hand. An
    escalated saga has a `case`; `case_sent` is False while the desk could not be reached, and the case is
    kept for `send_cases()` and `recover()`. `settled` says how a person has settled it, and is empty while
    the case is open; `decisions` are all that were taken.
    """

    status: Status
    cause: str | None
    case: Case | None
    steps: tuple[CaseStep, ...]
    case_sent: bool = False
    settled: str = ""
    decisions: tuple[Decided, ...] = ()
    error: BaseException | None = None


def ending_of(core: Core) -> Ending | None:
    """The ending of a saga, None while it has none."""
    state = core.state
    if state.status is None:
        return None
    case = None if state.case is None else Case.from_json(state.case)
    return Ending(
        Status(state.status),
        state.cause,
        case,
        steps_of(core),
        state.case_sent,
        state.settled,
        tuple(state.decisions),
        core.original,
    )


def concluded(core: Core) -> Ending:
    """The ending of a saga that has one."""
    ending = ending_of(core)
    assert ending is not None
    return ending


def gives_up(error: BaseException) -> bool:
    """Whether an exception that leaves the block of a saga means that it is given up.

    The process is at its end with anything else, as with a crash that a test plays: the journal knows more
    than it.
    """
    return isinstance(error, Exception | CancelledError | KeyboardInterrupt | SystemExit)
