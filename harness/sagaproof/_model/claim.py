"""What a saga says of itself at the end."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

__all__ = ["Claim", "Ending", "ErrorLink"]


class Claim(StrEnum):
    """The five things a saga can say of itself; return one (or its name) from a test body."""

    COMPLETED = "completed"
    COMPENSATED = "compensated"
    ESCALATED = "escalated"
    REFUSED = "refused"
    RAISED = "raised"


class ErrorLink(NamedTuple):
    """One exception of the chain that reached the caller, newest first.

    `call` is the logical call whose failure it is, where that is known.
    """

    type: str
    text: str
    call: int | None


class Ending(NamedTuple):
    """How a run of the saga ended. `claim` is None where it never got to say anything.

    `how` is one of `returned`, `raised`, `hung`, `failed-assertion`.
    """

    how: str
    claim: Claim | None
    errors: tuple[ErrorLink, ...] = ()
    where: str = ""
