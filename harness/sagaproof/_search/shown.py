"""What one run showed, without its history: small enough to come from another process."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from sagaproof._checks.protocol import Verdict
from sagaproof._model.plan import Injection, Plan
from sagaproof._search.record import Record

__all__ = ["Errand", "Shown"]


class Errand(NamedTuple):
    """A plan to run; `added` is the fault that makes it of another plan, `evidence` asks for its look."""

    plan: Plan
    added: Injection | None = None
    evidence: bool = False


class Shown(NamedTuple):
    """All that a campaign keeps of a run.

    `inert`: nobody but the fault's own call could tell it from the fault-free one. `met` has, for each
    sometimes property, how many stages were met. `extensions` counts the plans with one fault more, `look` is
    what it is compared by if it was run as evidence.
    """

    record: Record
    violated: Mapping[str, Verdict]
    inert: bool
    met: tuple[int, ...]
    extensions: int = 0
    look: Hashable = None
