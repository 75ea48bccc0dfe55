"""The difference of two reports as data."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["DIFF_SCHEMA", "CellChange", "Diff", "FindingChange"]

DIFF_SCHEMA: Final = "sagaproof-diff/1"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CellChange(_Part):
    """A cell that changed its state; None where the report does not have it. `plan` shows the new one."""

    scenario: str
    operation: str
    phase: str
    attempt: str
    position: str
    fault: str
    before: str | None
    after: str | None
    plan: str | None = None
    reason: str = ""


class FindingChange(_Part):
    """A finding that only one of the reports has. `known`: the baseline lets it pass."""

    scenario: str
    check: str
    claim: str | None
    where: tuple[str, ...]
    says: str
    plan: str
    replay: str
    known: bool = False


class Diff(_Part):
    """What is otherwise in the newer of two reports.

    A cell is newly violated where it was not before, whether it was there or not; newly covered or uncovered
    where runs, or plans that stand for them, now show what comes of it, or no longer do; and gone if the
    newer report does not have it. `apart` says where the two were not made of the same: shards, settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: Literal["sagaproof-diff/1"] = Field(default=DIFF_SCHEMA, alias="schema")
    newly_violated: tuple[CellChange, ...] = ()
    no_longer_violated: tuple[CellChange, ...] = ()
    newly_covered: tuple[CellChange, ...] = ()
    newly_uncovered: tuple[CellChange, ...] = ()
    gone: tuple[CellChange, ...] = ()
    new_findings: tuple[FindingChange, ...] = ()
    fixed_findings: tuple[FindingChange, ...] = ()
    new_scenarios: tuple[str, ...] = ()
    gone_scenarios: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """1 if something is newly violated or uncovered, or found that no baseline lets pass; else 0."""
        found = any(not finding.known for finding in self.new_findings)
        return int(bool(self.newly_violated or self.newly_uncovered or found))
