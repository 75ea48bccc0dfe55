"""From what was measured of the undo code to its part of a report."""

from __future__ import annotations

from sagaproof._coverage.found import CodeFound, UndoFunction
from sagaproof._report.code_schema import CodePart, UndoBranchPart, UndoCodePart, UndoLinePart
from sagaproof._report.sites import Sites

__all__ = ["code_part"]


def code_part(found: CodeFound | None, sites: Sites) -> CodePart | None:
    """The part; None where nothing was measured."""
    if found is None:
        return None
    return CodePart(
        branch=found.branch,
        undos=tuple(_undo(function, sites) for function in found.functions),
        unmeasured=tuple(sites.short(file) for file in found.unmeasured),
    )


def _undo(one: UndoFunction, sites: Sites) -> UndoCodePart:
    return UndoCodePart(
        file=sites.short(one.file),
        function=one.name,
        lines=tuple(
            UndoLinePart(line=line, runs=under.runs, faults=under.faults, plan=under.plan)
            for line, under in one.lines.items()
        ),
        missing=one.missing,
        branches=tuple(
            UndoBranchPart(line=line, to=to, runs=under.runs, faults=under.faults, plan=under.plan)
            for (line, to), under in one.branches.items()
        ),
        missing_branches=one.missing_branches,
    )
