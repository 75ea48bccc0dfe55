"""What of the undo code ran: the regions of a file held against what coverage.py says of its statements."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from coverage import Coverage
from coverage.exceptions import CoverageException

from sagaproof._coverage.found import Branch, CodeFound, UndoFunction
from sagaproof._coverage.hits import Hits
from sagaproof._coverage.regions import Region, regions
from sagaproof._coverage.sites import Sites

__all__ = ["analysed"]


def analysed(sites: Sites, hits: Hits, *, branch: bool) -> CodeFound:
    """The undo code that these sites point to, and which of its lines and branches ran."""
    found = {file: of_file for file in _files(sites) if (of_file := [*_regions(file, sites)])}
    judged = _judged({file: hits for file in found if file in hits.files}, branch=branch)
    functions: list[UndoFunction] = []
    unmeasured: list[str] = []
    for file, of_file in found.items():
        if file not in judged:
            unmeasured.append(file)
            continue
        for name in dict.fromkeys(region.function for region in of_file):
            inside = _lines([region for region in of_file if region.function == name])
            functions.append(_function(file, name, inside, judged[file], hits))
    return CodeFound(tuple(functions), tuple(unmeasured), branch)


def _files(sites: Sites) -> list[str]:
    return sorted({*sites.undo, *(code.co_filename for code in sites.registered)})


def _regions(file: str, sites: Sites) -> Iterator[Region]:
    try:
        source = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    defined = [code.co_firstlineno for code in sites.registered if code.co_filename == file]
    yield from regions(source, sites.undo.get(file, ()), sites.forward.get(file, ()), defined)


def _lines(found: Iterable[Region]) -> frozenset[int]:
    return frozenset(line for region in found for line in range(region.first, region.last + 1))


def _function(
    file: str, name: str, inside: frozenset[int], judged: Mapping[str, Any], hits: Hits
) -> UndoFunction:
    def within(key: str) -> list[int]:
        return [line for line in judged[key] if line in inside]

    def branches(key: str) -> list[Branch]:
        return [(start, end) for start, end in judged.get(key, ()) if start in inside]

    return UndoFunction(
        file,
        name,
        {line: hits.line(file, [line]) for line in within("executed_lines")},
        tuple(within("missing_lines")),
        {arc: hits.branch(file, arc) for arc in branches("executed_branches")},
        tuple(branches("missing_branches")),
    )


def _judged(ran: Mapping[str, Hits], *, branch: bool) -> dict[str, dict[str, Any]]:
    """What coverage.py reports of each file, under the rules of the user for what does not count."""
    if not ran:
        return {}
    judge = Coverage(data_file=None, branch=branch, config_file=False, messages=False)
    _adopt_exclusions(judge)
    try:
        files = _reported(judge, ran, branch=branch)
    finally:
        judge.get_data().close(force=True)  # a database in memory, which Python 3.13 warns of
    resolved = {str(Path(file).resolve()): file for file in ran}
    by_path = {str(Path(name).resolve()): found for name, found in files.items()}  # relative, or as it likes
    return {resolved[path]: found for path, found in by_path.items() if path in resolved}


def _reported(judge: Coverage, ran: Mapping[str, Hits], *, branch: bool) -> dict[str, dict[str, Any]]:
    data = judge.get_data()
    if branch:
        data.add_arcs({file: hits.arcs(file) for file, hits in ran.items()})
    else:
        data.add_lines({file: [line for _, line in hits.arcs(file)] for file, hits in ran.items()})
    with tempfile.TemporaryDirectory(prefix="sagaproof-coverage-") as folder:
        out = Path(folder) / "coverage.json"
        try:
            judge.json_report(morfs=[*ran], outfile=str(out), ignore_errors=True)
        except CoverageException:
            return {}
        files: dict[str, dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))["files"]
    return files


def _adopt_exclusions(judge: Coverage) -> None:
    theirs = Coverage.current()
    if theirs is None:
        return
    for which in ("exclude", "partial"):
        judge.clear_exclude(which)
        for pattern in theirs.get_exclude_list(which):
            judge.exclude(pattern, which)
