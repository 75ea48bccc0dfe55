"""Reports made by several processes: each writes parts, one of them puts all together in a stable order."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sagaproof._report.json_file import as_json, from_json
from sagaproof._report.schema import Report
from sagaproof._report.whole import write_whole
from sagaproof.errors import UsageError

__all__ = ["merge_parts", "merge_reports", "write_part"]

_SUFFIX = ".part.json"


def write_part(report: Report, folder: Path) -> Path:
    """Write a report as a part into the folder, which is made; the same scenarios again replace it.

    Safe among processes: a part is whole or absent.
    """
    names = (scenario.name for scenario in report.scenarios)
    digest = hashlib.sha256("\0".join(names).encode()).hexdigest()[:16]
    path = folder / f"{digest}{_SUFFIX}"
    write_whole({path: as_json(report)})
    return path


def merge_parts(folder: Path) -> Report:
    """All parts of the folder as one report. A part that is torn or cannot be read becomes a problem of it.

    So does a draft that its writer never finished. A folder that is not there gives an empty report.
    """
    reports: list[Report] = []
    problems: list[str] = []
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        try:
            reports.append(from_json(path.read_text(encoding="utf-8"), where=f"part {path.name}"))
        except (UsageError, OSError, UnicodeDecodeError) as error:
            problems.append(f"part {path.name} cannot be read: {error}")
    problems += [
        f"part {path.name} was never finished: its process ended first"
        for path in sorted(folder.glob(".*.part"))
    ]
    return merge_reports(reports, problems)


def merge_reports(reports: list[Report], problems: list[str] | None = None) -> Report:
    """The scenarios of all reports, by name; two of the same name stay in the order of their reports."""
    scenarios = [scenario for report in reports for scenario in report.scenarios]
    known = [problem for report in reports for problem in report.problems]
    return Report(
        version=next((report.version for report in reports if report.version), None),
        scenarios=tuple(sorted(scenarios, key=lambda scenario: scenario.name)),
        problems=(*known, *(problems or ())),
    )
