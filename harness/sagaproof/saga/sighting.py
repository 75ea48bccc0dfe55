"""What a lookup saw of a call: its effect, nothing, or that the service is still working on it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

__all__ = ["ABSENT", "IN_FLIGHT", "Found", "Unseen"]


@dataclass(frozen=True, slots=True)
class Found:
    """The call was applied, and this is the answer that it gave or would have given."""

    answer: Any = None


class Unseen(Enum):
    """Two ways of not seeing an effect. Neither says that it will not come."""

    ABSENT = "absent"
    IN_FLIGHT = "in-flight"


ABSENT: Final[Literal[Unseen.ABSENT]] = Unseen.ABSENT
"""Nothing is known under this key so far. The call may still arrive, unless it is fenced off."""

IN_FLIGHT: Final[Literal[Unseen.IN_FLIGHT]] = Unseen.IN_FLIGHT
"""The call has arrived and is not done yet."""
