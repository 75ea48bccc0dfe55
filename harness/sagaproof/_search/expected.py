"""The findings that a scenario is known to have: in a file beside it; no more and no fewer may appear."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagaproof._model.finding import Finding
from sagaproof._search.campaign import Campaign, Status
from sagaproof.errors import UsageError

__all__ = ["Expectation", "Outcome", "compare", "write_expected"]


@dataclass(frozen=True, slots=True)
class Expectation:
    """How the findings of a campaign compare with what its scenario is known to have."""

    missing: tuple[str, ...]
    surplus: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether they are the same."""
        return not self.missing and not self.surplus


@dataclass(frozen=True, slots=True)
class Outcome:
    """A campaign with what was expected of it (None: nothing was, so that any finding counts)."""

    campaign: Campaign
    expectation: Expectation | None = None

    @property
    def exit_code(self) -> int:
        """0 clean or as expected, 1 findings (or other ones than expected), 2 incomplete, 3 harness error."""
        status = self.campaign.status
        if self.expectation is None or status is Status.ERROR:
            return status.exit_code
        if not self.expectation.met:
            return Status.FINDINGS.exit_code
        return Status.INCOMPLETE.exit_code if self.campaign.incomplete else 0


def compare(findings: Iterable[Finding], expected: Path) -> Expectation:
    """Hold findings against the file. Raises `UsageError` if it is not there or cannot be read."""
    try:
        wanted = {_line(row) for row in json.loads(expected.read_text(encoding="utf-8"))["findings"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{expected} cannot be read as expected findings: {error}",
            advice="Write it with `sagaproof run NAME --accept` and read what it holds.",
        ) from error
    found = {_line(_row(finding)) for finding in findings}
    return Expectation(tuple(sorted(wanted - found)), tuple(sorted(found - wanted)))


def write_expected(findings: Iterable[Finding], expected: Path) -> None:
    """Make the findings at hand the expected ones: for a person to read and commit."""
    rows = sorted((_row(finding) for finding in findings), key=_line)
    expected.write_text(json.dumps({"findings": rows}, indent=2) + "\n", encoding="utf-8")


def _row(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "where": [str(where) for where in finding.key.classes],
        "claim": None if finding.claim is None else finding.claim.value,
        "plan": str(finding.plan),
    }


def _line(row: dict[str, Any]) -> str:
    """What has to agree: the plan is there for the reader only."""
    where = " + ".join(row["where"]) or "no fault"
    return f"{row['check']} [{where}] {row['claim'] or 'no claim'}"
