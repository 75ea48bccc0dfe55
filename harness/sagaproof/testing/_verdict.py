"""What a check of a system ends with: a report, or the first rule that the system breaks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sagaproof.errors import SagaproofError

__all__ = ["ContractBroken", "Scorecard", "SystemReport"]


class ContractBroken(SagaproofError, AssertionError):
    """A system does not do what a system must; `rule` is the name of the rule that it breaks."""

    slug = "contract"

    def __init__(self, what: str, *, rule: str, where: str = "", advice: str = "") -> None:
        self.rule = rule
        super().__init__(what, where=where, advice=advice)

    def __str__(self) -> str:
        return f"{self.rule}: {super().__str__()}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.what, self.rule, self.where, self.advice)


def _rebuild(what: str, rule: str, where: str, advice: str) -> ContractBroken:
    return ContractBroken(what, rule=rule, where=where, advice=advice)


@dataclass(frozen=True, slots=True)
class SystemReport:
    """What was checked of a system that kept the whole contract.

    `rules` holds each rule with the number of times it was put to the test, at least once each.
    """

    system: str
    exercised: tuple[str, ...]
    skipped: tuple[str, ...]
    rules: tuple[tuple[str, int], ...]

    @property
    def checks(self) -> int:
        """How often any rule was put to the test."""
        return sum(times for _, times in self.rules)


class Scorecard:
    """Counts each rule as it is tested and each operation as it is called."""

    def __init__(self) -> None:
        self.rules: Counter[str] = Counter()
        self.called: set[str] = set()

    def require(self, holds: object, rule: str, what: str, *, where: str = "", advice: str = "") -> None:
        """Count one test of `rule`; raise `ContractBroken` unless it holds."""
        self.rules[rule] += 1
        if not holds:
            raise ContractBroken(what, rule=rule, where=where, advice=advice)
