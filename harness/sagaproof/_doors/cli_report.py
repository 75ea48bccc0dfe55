"""`sagaproof report`: reports that are there already, merged, held against each other, or shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sagaproof._doors import cli_gates
from sagaproof._doors.cli_exit import Finished
from sagaproof._doors.cli_output import Output
from sagaproof._doors.closing import Closing
from sagaproof._report.console import print_scenario, print_summary
from sagaproof._report.diff import difference
from sagaproof._report.diff_text import diff_lines
from sagaproof._report.html import as_html
from sagaproof._report.json_file import as_json, from_json, json_schema
from sagaproof._report.merge import Source, merge
from sagaproof._report.schema import Report
from sagaproof._report.whole import write_whole
from sagaproof.errors import SagaproofError, UsageError

__all__ = ["REPORT_EPILOG", "report_command"]

REPORT_EPILOG = (
    "Exit codes: those of a run, for the report that is shown or merged. With --diff: 0 nothing got worse. "
    "1 something is newly violated, uncovered or found. 3 wrong use, or a file that cannot be read."
)
_FILE = "report.json"


def report_command(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="report.json, or the folder that it is in.")
    ] = None,
    *,
    merges: Annotated[bool, typer.Option("--merge", help="Put all together: tests, shards, days.")] = False,
    diffs: Annotated[bool, typer.Option("--diff", help="Hold the second against the first.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of report.json.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it as JSON.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it as a page.")] = None,
    junit: cli_gates.Junit = None,
    markdown: cli_gates.Markdown = None,
    fail_under: cli_gates.FailUnder = None,
    require: cli_gates.Require = None,
    baseline: cli_gates.Baseline = None,
    as_one_json: Annotated[bool, typer.Option("--json", help="One JSON object, and nothing else.")] = False,
) -> None:
    """Merge reports, hold two against each other, or show one."""
    output = Output(as_json=as_one_json)
    try:
        if schema:
            output.put_text(json.dumps(json_schema(), indent=1) + "\n")
            raise Finished(0)
        sources = _read(files or [], merges=merges, diffs=diffs)
        if diffs:
            raise Finished(_tell_difference(sources, output))
        closing = Closing.read(
            fail_under=fail_under,
            require=cli_gates.split(require),
            baseline=baseline,
            junit=junit,
            markdown=markdown,
        )
        report = closing.judged(merge(sources) if merges else sources[0].report)
        texts = {} if out is None else {out: as_json(report)}
        texts |= {} if html is None else {html: as_html(report)}
        write_whole(texts)
        for line in (*(f"report: {path}" for path in texts), *closing.write(report)):
            output.err.print(line, soft_wrap=True)
    except SagaproofError as error:
        output.err.print(f"error: {error}", soft_wrap=True)
        raise Finished(3) from error
    _put(report, output, in_full=not merges)
    raise Finished(report.exit_code)


def _read(files: list[Path], *, merges: bool, diffs: bool) -> list[Source]:
    """The reports, each with the name of its file. Raises `UsageError` for a wrong number of them."""
    if merges and diffs:
        raise UsageError("--merge and --diff are two things", advice="Merge first, into a file.")
    least, most = (2, 2) if diffs else (1, len(files) if merges else 1)
    if not least <= len(files) <= max(least, most):
        wants = "two files, the older first" if diffs else "a file"
        advice = "Say --merge or --diff." if len(files) > 1 and not diffs else "Name what a run has written."
        raise UsageError(f"{len(files)} files are given, and it takes {wants}", advice=advice)
    return [_source(path) for path in files]


def _source(path: Path) -> Source:
    path = path / _FILE if path.is_dir() else path
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        advice = "Name the report.json that a run has written, or its folder."
        raise UsageError(f"{path} cannot be read: {why}", advice=advice) from error
    return Source(str(path), from_json(text, where=str(path)))


def _tell_difference(sources: list[Source], output: Output) -> int:
    found = difference(sources[0].report, sources[1].report)
    if output.as_json:
        text = json.dumps(found.model_dump(mode="json", by_alias=True), indent=1, ensure_ascii=False)
        output.put_text(text + "\n")
    else:
        for line in diff_lines(found):
            output.out.print(line, soft_wrap=True)
    return found.exit_code


def _put(report: Report, output: Output, *, in_full: bool) -> None:
    if output.as_json:
        output.put(report)
        return
    for scenario in report.scenarios if in_full else ():
        print_scenario(scenario, output.out)
        output.out.print()
    print_summary(report, output.out)
    for one in report.conflicts:
        place = " ".join(filter(None, (one.scenario, one.where)))
        output.out.print(f"conflict: {one.what} {place}: {one.text}", soft_wrap=True)
