"""The undo code of one scenario in several reports, as one: what any of them has reached is reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from sagaproof._report.code_schema import CodePart, UndoBranchPart, UndoCodePart, UndoLinePart
from sagaproof._report.plan_order import size_of

__all__ = ["merged_code"]


def merged_code(parts: Iterable[CodePart | None]) -> CodePart | None:
    """One part of all that there are; None of none.

    The same run may have been made for several reports, so that `runs` is the most that one of them counted.
    """
    found = [part for part in parts if part is not None]
    if not found:
        return None
    undos = sorted((undo for part in found for undo in part.undos), key=_place)
    unmeasured = {file for part in found for file in part.unmeasured} - {undo.file for undo in undos}
    return CodePart(
        branch=all(part.branch for part in found),
        undos=tuple(_undo([*same]) for _, same in groupby(undos, key=_place)),
        unmeasured=tuple(sorted(unmeasured)),
    )


def _place(undo: UndoCodePart) -> tuple[str, str]:
    return undo.file, undo.function


def _undo(same: Sequence[UndoCodePart]) -> UndoCodePart:
    lines: dict[int, UndoLinePart] = {}
    branches: dict[tuple[int, int], UndoBranchPart] = {}
    for undo in same:
        for line in undo.lines:
            known = lines.get(line.line)
            lines[line.line] = line if known is None else known.model_copy(update=_both(known, line))
        for branch in undo.branches:
            at = branch.line, branch.to
            taken = branches.get(at)
            branches[at] = branch if taken is None else taken.model_copy(update=_both(taken, branch))
    missing = {line for undo in same for line in undo.missing}
    missing_branches = {branch for undo in same for branch in undo.missing_branches}
    return UndoCodePart(
        file=same[0].file,
        function=same[0].function,
        lines=tuple(lines[line] for line in sorted(lines)),
        missing=tuple(sorted(missing - lines.keys())),
        branches=tuple(branches[at] for at in sorted(branches)),
        missing_branches=tuple(sorted(missing_branches - branches.keys())),
    )


def _both(one: UndoLinePart | UndoBranchPart, other: UndoLinePart | UndoBranchPart) -> dict[str, object]:
    return {
        "runs": max(one.runs, other.runs),
        "faults": tuple(sorted({*one.faults, *other.faults})),
        "plan": min(one.plan, other.plan, key=size_of),
    }
