"""What is done with a report once it is there: baseline and gates applied, other forms of it written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from sagaproof._report.gates import Gates, judged
from sagaproof._report.junit import as_junit
from sagaproof._report.known import Known, still_needed, with_known
from sagaproof._report.known_file import read_known, write_known
from sagaproof._report.markdown import as_markdown
from sagaproof._report.schema import Report
from sagaproof._report.step_summary import append_summary
from sagaproof._report.whole import write_whole
from sagaproof._run import real_time

__all__ = ["Closing", "today"]

STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_HOLDS_FOR: Final = timedelta(days=90)


def today() -> date:
    """The day by the real clock, here."""
    return date.fromtimestamp(real_time.time())  # noqa: DTZ012  # the days of a baseline are those of its reader


@dataclass(frozen=True, slots=True)
class Closing:
    """What was asked for beside the report itself. Paths are as given.

    `insists` says that gates were asked for this run, and not by the settings of a project for every one.
    """

    gates: Gates = field(default_factory=Gates)
    baseline: Path | None = None
    write_baseline: Path | None = None
    junit: Path | None = None
    markdown: Path | None = None
    known: tuple[Known, ...] = ()
    insists: bool = False

    @classmethod
    def read(
        cls,
        *,
        fail_under: float | None = None,
        require: tuple[str, ...] = (),
        baseline: Path | None = None,
        write_baseline: Path | None = None,
        junit: Path | None = None,
        markdown: Path | None = None,
        insists: bool = True,
    ) -> Closing:
        """All of it, with the entries of the baseline. Raises `UsageError` before anything is run."""
        source = baseline
        if source is None and write_baseline is not None and write_baseline.exists():
            source = write_baseline  # what somebody wrote there is kept
        known = () if source is None else tuple(read_known(source))
        gates = Gates(fail_under, require)
        return cls(gates, baseline, write_baseline, junit, markdown, known, insists)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are to be written."""
        return tuple(path for path in (self.junit, self.markdown, self.write_baseline) if path is not None)

    def wants_report(self, environment: Mapping[str, str] = os.environ) -> bool:
        """Whether the whole report is needed at the end."""
        asked = (self.baseline, *self.files, environment.get(STEP_SUMMARY))
        return self.gates != Gates() or any(asked)

    def marked(self, report: Report) -> Report:
        """A report, or a part of one, with what is known in it; gates are for the whole."""
        if self.baseline is None:
            return report
        return with_known(report, self.known, today()).model_copy(update={"gates": report.gates})

    def judged(self, report: Report) -> Report:
        """The whole report with its gates."""
        found = judged(report, self.gates)
        return found if self.baseline is None else with_known(found, self.known, today())

    def write(self, report: Report) -> list[str]:
        """Write what was asked for, whole or not at all; a line for each. Raises `UsageError`."""
        texts = {}
        if self.junit is not None:
            texts[self.junit] = as_junit(report)
        if self.markdown is not None:
            texts[self.markdown] = as_markdown(report)
        write_whole(texts)
        lines = [f"report: {path}" for path in texts]
        if self.write_baseline is not None:
            before = still_needed(self.known, report, today())
            new = write_known(self.write_baseline, report, before, today() + _HOLDS_FOR)
            reasons = "; give each a reason before it is used" if new else ""
            lines.append(f"baseline: {new} new, {len(before)} kept in {self.write_baseline}{reasons}")
        return lines

    def summarize(self, report: Report, environment: Mapping[str, str] = os.environ) -> list[str]:
        """Append the report to the summary of a step on GitHub, if this is one; a line if it cannot be."""
        path = environment.get(STEP_SUMMARY)
        problem = append_summary(Path(path), as_markdown(report)) if path else ""
        return [f"{STEP_SUMMARY}: {problem}"] if problem else []
