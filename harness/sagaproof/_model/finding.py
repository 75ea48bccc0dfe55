"""A finding: one violated check with the smallest plan that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sagaproof._model.claim import Claim
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.point import PointClass
from sagaproof._model.script import Script

__all__ = ["Finding", "FindingKey"]


class FindingKey(NamedTuple):
    """What makes a finding distinct: the check, where the faults were, and what the saga said."""

    check: str
    classes: tuple[PointClass, ...]
    claim: Claim | None

    def __str__(self) -> str:
        where = " + ".join(map(str, self.classes)) or "no fault"
        return f"{self.check} [{where}] {self.claim or 'no claim'}"


@dataclass(slots=True)
class Finding:
    """A violated check. `plans` counts the plans that show it; `plan` is the smallest of them.

    `history` is the run under `plan`, `twin` the nearest plan under which the check held (None: there is
    none), `twin_history` its run. `says` is the claim in one sentence, `because` the event that proves it.
    `over_runs`: the check compares runs, so that no plan alone violates it; `twin` is then the run to hold
    against this one, in the script `twin_script`.
    """

    key: FindingKey
    plan: Plan
    script: Script
    says: str
    because: str
    calls: tuple[int, ...]
    plans: int = 1
    history: History | None = None
    twin: Plan | None = None
    twin_script: Script | None = None
    twin_history: History | None = None
    over_runs: bool = False

    @property
    def check(self) -> str:
        """The slug of the violated check."""
        return self.key.check

    @property
    def claim(self) -> Claim | None:
        """What the saga said of itself."""
        return self.key.claim
