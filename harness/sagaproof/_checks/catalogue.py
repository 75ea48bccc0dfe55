"""The one place that lists the checks."""

from __future__ import annotations

from sagaproof._checks.applied_once import AppliedOnce
from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._checks.completed_is_complete import CompletedIsComplete
from sagaproof._checks.no_silent_residue import NoSilentResidue
from sagaproof._checks.protocol import RunCheck
from sagaproof._checks.rest_is_rest import RestIsRest
from sagaproof._checks.terminates import Terminates
from sagaproof._checks.truthful_claim import TruthfulClaim

__all__ = ["ALL"]

ALL: tuple[RunCheck, ...] = (
    Terminates(),
    CompletedIsComplete(),
    CompensatedIsClean(),
    NoSilentResidue(),
    TruthfulClaim(),
    RestIsRest(),
    AppliedOnce(),
)
