"""What the page shows of the undo code of a scenario."""

from __future__ import annotations

from typing import Any

from sagaproof._report.code_schema import CodePart, UndoCodePart
from sagaproof._report.code_text import code_lines, ranges

__all__ = ["code_view"]


def code_view(part: CodePart | None) -> dict[str, Any] | None:
    """Lines of text and one row for each function with undo code; None where nothing was measured."""
    if part is None:
        return None
    return {"lines": code_lines([part]), "rows": [_row(undo) for undo in part.undos]}


def _row(undo: UndoCodePart) -> dict[str, object]:
    ran = [line.line for line in undo.lines]
    plans = [line.plan for line in undo.lines if line.plan]
    return {
        "file": undo.file,
        "function": undo.function,
        "ran": len(ran),
        "statements": len(ran) + len(undo.missing),
        "faults": len({fault for line in undo.lines for fault in line.faults}),
        "missing": ranges(undo.missing, ran),
        "plan": min(plans, key=lambda plan: (plan.count(","), len(plan), plan), default=""),
    }
