"""What a machine fails with: one class of exception for each check and kind of step.

Hypothesis tells failures apart by their class and where they were raised, so that two findings stay two.
"""

from __future__ import annotations

import re
from functools import cache
from typing import ClassVar, NamedTuple

from sagaproof._machine.trials import Trial

__all__ = ["Found", "Kind", "kind_of"]


class Kind(NamedTuple):
    """Which check was violated, and at which operation in which phase (both empty if it names no call)."""

    check: str
    operation: str
    phase: str

    def error(self, text: str) -> Found:
        """An exception of the class for this kind."""
        return _class(self)(text)


class Found(AssertionError):
    """A finding of a machine; its text is the report."""

    kind: ClassVar[Kind]


def kind_of(trial: Trial) -> Kind | None:
    """The kind of the first finding of a trial, in the order of the checks; None if nothing was violated."""
    for check, verdict in trial.violated.items():
        call = trial.history.calls[verdict.calls[0]] if verdict.calls else None
        if call is None:
            return Kind(check, "", "")
        return Kind(check, call.operation.full, call.first.phase.value)
    return None


@cache
def _class(kind: Kind) -> type[Found]:
    words = re.split(r"[^a-zA-Z0-9]+", " ".join(kind))
    name = "".join(word.capitalize() for word in words)
    return type(name, (Found,), {"__module__": "sagaproof", "kind": kind})
