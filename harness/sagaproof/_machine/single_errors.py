"""Single errors: one fault in a run, and only those that most chaos tools have.

The call is not made, and its caller sees an error status, a refused connection or a timeout.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sagaproof._model.fault import Applied, Fault, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._search.planted import Planted
from sagaproof._search.selfcheck import Trial, tried
from sagaproof._search.settings import Exclusion
from sagaproof._search.subject import Subject

__all__ = ["by_single_errors", "is_error"]

_ERRORS: Final = frozenset({Learnt.STATUS, Learnt.REFUSED, Learnt.TIMEOUT})


def is_error(fault: Fault) -> bool:
    """Whether a fault only ever keeps a call from being made, and says so or says nothing."""
    return fault.applied is Applied.NO and fault.learnt in _ERRORS


def by_single_errors(planted: Planted, subject: Subject) -> Trial:
    """Try a planted bug or a control with every such fault at every call, one in a run."""
    assert planted.scenario is not None
    known = planted.scenario.settings
    others = tuple(Exclusion("*", f.name, "not an error") for f in FAULTS.values() if not is_error(f))
    settings = replace(known, exclude=(*known.exclude, *others))
    scenario = replace(planted.scenario, settings=settings)
    return tried(replace(planted, scenario=scenario, faults=min(1, planted.faults)), subject)
