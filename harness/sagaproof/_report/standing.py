"""Which findings of a scenario count against it: those that it is not known to have."""

from __future__ import annotations

from sagaproof._report.schema import FindingPart, ScenarioPart

__all__ = ["counting", "counts", "key_of", "unmet"]


def key_of(finding: FindingPart) -> str:
    """What tells findings apart, as in the lists of expected ones: `check [where] claim`."""
    where = " + ".join(finding.where) or "no fault"
    return f"{finding.check} [{where}] {finding.claim or 'no claim'}"


def counts(finding: FindingPart, scenario: ScenarioPart) -> bool:
    """Whether a finding is neither in the baseline nor expected of its scenario."""
    if finding.known is not None:
        return False
    return scenario.expected_met is None or key_of(finding) in scenario.surplus


def counting(scenario: ScenarioPart) -> tuple[FindingPart, ...]:
    """The findings that count."""
    return tuple(finding for finding in scenario.findings if counts(finding, scenario))


def unmet(scenario: ScenarioPart) -> list[str]:
    """The expected findings that a scenario lacks, each as a sentence."""
    return [f"expected and not found: {text}" for text in scenario.missing]
