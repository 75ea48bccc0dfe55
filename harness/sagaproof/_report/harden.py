"""What to harden first: the steps that the smallest failing plans break, those in most of them first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sagaproof._report.schema import FindingPart

__all__ = ["Weakness", "weaknesses"]


class Weakness(NamedTuple):
    """An operation, and in how many of all smallest failing plans a fault is put into it."""

    operation: str
    plans: int
    of: int


def weaknesses(findings: Mapping[str, Iterable[FindingPart]]) -> tuple[Weakness, ...]:
    """The operations by the number of plans; those with the same number by name.

    `findings` are by scenario. Those that one plan of one script shows count once.
    """
    plans: dict[tuple[str, str, str], set[str]] = {}
    for name, some in findings.items():
        for one in some:
            broken = plans.setdefault((name, one.script, one.plan), set())
            broken |= {where.partition("/")[0] for where in one.where}
    found = Counter(operation for operations in plans.values() for operation in operations)
    ranked = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return tuple(Weakness(operation, count, len(plans)) for operation, count in ranked)
