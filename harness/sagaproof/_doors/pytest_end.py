"""The end of a run of pytest: the report of its explored tests, judged and written as was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sagaproof._doors.closing import Closing
from sagaproof._doors.pytest_reports import Reports
from sagaproof._report.gates import Gates
from sagaproof._report.json_file import from_json
from sagaproof._report.parts import merge_reports
from sagaproof._report.schema import GatePart, Report

__all__ = ["End", "Line"]


class Line(NamedTuple):
    """A line at the end, and whether it is about something that fails the run."""

    text: str
    fails: bool = False


class End:
    """What was heard of the explored tests, from this process or a worker, and what is done with it.

    `is_inner` says that a command of ours started this run, which writes the summary of a step itself.
    """

    def __init__(self, closing: Closing, reports: Reports | None) -> None:
        self.closing = closing
        self.is_inner = False
        self.gates: tuple[GatePart, ...] = ()
        self._reports = reports
        self._parts: dict[str, Report] = {}

    def hear(self, name: str, whole: str) -> None:
        """Take in the report of one test; of one that ran again the last counts."""
        if whole:
            self._parts[name] = from_json(whole, where=name)

    def lines(self, *, verbose: bool) -> Iterator[Line]:
        """Judge and write; say what came of it. Raises `UsageError` if something cannot be written."""
        report = merge_reports(list(self._parts.values())) if self._reports is None else self._reports.whole()
        if not report.scenarios and not report.problems:
            yield from self._nothing()
            return
        report = self.closing.judged(report)
        self.gates = report.gates
        if self._reports is not None:
            yield from (Line(f"report: {_shown(path)}") for path in self._reports.write(report))
        yield from map(Line, self.closing.write(report))
        yield from () if self.is_inner else map(Line, self.closing.summarize(report))
        for gate in report.gates:
            if not gate.passed:
                yield Line(f"gate not passed: {gate.text}", fails=True)
            elif gate.gate == "baseline" or verbose:
                yield Line(gate.text)

    def _nothing(self) -> Iterator[Line]:
        if self.closing.gates != Gates():
            yield Line("gate not passed: no explored test ran to its end", fails=self.closing.insists)
        elif self._reports is not None or self.closing.files:
            yield Line("no explored test ran to its end, so there is no report")


def _shown(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
