"""Findings that the same run shows, put together: one card for each run, led by the most telling check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from sagaproof._report.schema import FindingPart

__all__ = ["Group", "grouped", "rank", "varied"]

_LEADING: Final = (
    "user-assertion",
    "user-invariant",
    "terminates",
    "no-unwind-past-pivot",
    "no-forward-in-unwind",
    "no-clobber",
    "own-effects-only",
    "cancellation-safe",
    "no-silent-undo-failure",
    "late-effect-fenced",
    "undo-commutes",
    "undo-twice-is-once",
    "undone-once",
    "applied-once",
    "one-key-per-intent",
    "no-undo-skipped",
    "reverse-order",
    "empty-undo-succeeds",
    "original-error-kept",
    "errors-classified",
    "retry-budgets",
    "undo-tries-as-hard",
    "compensated-is-clean",
    "completed-is-complete",
    "same-as-twin",
    "truthful-claim",
    "rest-is-rest",
    "no-silent-residue",
    "books-balance",
)
"""What names the fault in the saga comes before what names its consequence; others come last."""


class Group(NamedTuple):
    """A finding and the other checks that the same run violates."""

    lead: FindingPart
    also: tuple[FindingPart, ...] = ()


def grouped(findings: Iterable[FindingPart]) -> tuple[Group, ...]:
    """The findings by plan and script, in the order in which the first of each came."""
    together: dict[tuple[str, str], list[FindingPart]] = {}
    for finding in findings:
        together.setdefault((finding.plan, finding.script), []).append(finding)
    return tuple(_group(some) for some in together.values())


def varied(groups: tuple[Group, ...]) -> tuple[Group, ...]:
    """The groups with a new leading check first: few cards then show many kinds of fault."""
    seen: set[str] = set()
    fresh: list[Group] = []
    known: list[Group] = []
    for group in groups:
        (known if group.lead.check in seen else fresh).append(group)
        seen.add(group.lead.check)
    return (*fresh, *known)


def _group(findings: list[FindingPart]) -> Group:
    lead, *also = sorted(findings, key=rank)
    return Group(lead, tuple(also))


def rank(finding: FindingPart) -> tuple[int, str]:
    """What sorts findings by how much their check tells, the most telling first."""
    known = finding.check in _LEADING
    return (_LEADING.index(finding.check) if known else len(_LEADING), finding.check)
