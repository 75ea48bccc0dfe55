"""The report of a run of pytest: parts by whichever process ran a test, put together by the first one."""

from __future__ import annotations

import shutil
from pathlib import Path

from sagaproof._report.parts import merge_parts, write_part
from sagaproof._report.schema import Report
from sagaproof._report.whole import write_reports

__all__ = ["Reports"]


class Reports:
    """The report folder. Parts lie in a hidden folder of it: a worker that dies loses only its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts = folder / ".parts"

    def begin(self) -> None:
        """Forget the parts of an earlier run that did not come to its end."""
        shutil.rmtree(self._parts, ignore_errors=True)

    def add(self, report: Report) -> None:
        """Keep what one test came to."""
        write_part(report, self._parts)

    def whole(self) -> Report:
        """The report of all parts."""
        return merge_parts(self._parts)

    def write(self, report: Report) -> list[Path]:
        """Write it, and forget the parts. Raises `UsageError` if it cannot be written."""
        written = write_reports(report, self._folder)
        shutil.rmtree(self._parts, ignore_errors=True)
        return written
