"""The kinds of fault that the sometimes properties speak of, each by what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sagaproof._model.fault import Applied, Fault
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History

__all__ = [
    "AUTH",
    "DUPLICATES",
    "FORGETTING",
    "LATE",
    "MAIL_LOST",
    "OTHER_WRITERS",
    "RATE_LIMITS",
    "REFUSALS",
    "UNSENT",
    "has_met",
]


def _names(fits: Callable[[Fault], bool]) -> frozenset[str]:
    return frozenset(name for name, fault in FAULTS.items() if fits(fault))


AUTH: Final = _names(lambda fault: fault.family == "auth" and fault.status == 401)
DUPLICATES: Final = _names(lambda fault: fault.applied is Applied.TWICE)
FORGETTING: Final = _names(lambda fault: fault.outlasts_key)
LATE: Final = _names(lambda fault: fault.applied is Applied.LATE)
MAIL_LOST: Final = _names(lambda fault: fault.trait == "mail" and fault.applied is Applied.YES)
OTHER_WRITERS: Final = _names(lambda fault: fault.family == "other writer")
RATE_LIMITS: Final = _names(lambda fault: fault.retry_after is not None)
REFUSALS: Final = _names(
    lambda fault: fault.family == "rejection" and fault.status is not None and 400 <= fault.status < 500
)
UNSENT: Final = _names(lambda fault: fault.applied is Applied.NO)


def has_met(history: History, kinds: frozenset[str]) -> bool:
    """Whether the run was under a fault of one of these kinds: a planned fault is met, or the run is void."""
    return any(injection.fault in kinds for injection in history.plan)
