"""A planted bug: a right saga with one thing made wrong, and the checks that have to see it."""

from __future__ import annotations

from dataclasses import dataclass

from sagaproof._search.scenario import Scenario
from sagaproof.errors import UsageError

__all__ = ["Planted"]


@dataclass(frozen=True, slots=True)
class Planted:
    """A faulty saga and what proves it; without `expect` a control, a right saga nobody may complain of.

    `expect` are slugs of checks (or of errors of the harness, such as `not-deterministic`, or
    `undo-never-run`, where an undo was never tried) of which at least one has to fire under `faults` faults
    at most; of a control all plans of that size are run. `families` keeps the faults to some families.
    `deferred` says what is missing where a bug cannot be expressed yet: it then has no scenario. The name of
    a planted bug is that of its scenario.
    """

    id: str
    bug: str
    story: str
    scenario: Scenario | None = None
    expect: tuple[str, ...] = ()
    faults: int = 1
    families: tuple[str, ...] = ()
    deferred: str = ""

    def __post_init__(self) -> None:
        if (self.scenario is None) != bool(self.deferred):
            raise UsageError(
                f"planted bug {self.id} needs a scenario, or a reason why it has none",
                advice="Give scenario= or deferred=, not both.",
            )

    @property
    def is_control(self) -> bool:
        """Whether it is a right saga, on which every check has to be silent."""
        return not self.expect and not self.deferred
