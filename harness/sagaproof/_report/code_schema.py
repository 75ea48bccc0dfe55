"""The part of a report on the undo code: which lines and branches ran under which plans."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["CodePart", "UndoBranchPart", "UndoCodePart", "UndoLinePart"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class UndoLinePart(_Part):
    """A line that ran: in how many runs, with which kinds of fault in them, and their smallest plan.

    No faults: it only ran where nothing failed.
    """

    line: int
    runs: int
    faults: tuple[str, ...]
    plan: str


class UndoBranchPart(_Part):
    """A branch that was taken, told of as a line is. A negative `to` is the way out of what begins there."""

    line: int
    to: int
    runs: int
    faults: tuple[str, ...]
    plan: str


class UndoCodePart(_Part):
    """The undo code in one function: the whole of it, or the blocks from which nothing but undos is called.

    `missing` are the lines and branches that no run has come to.
    """

    file: str
    function: str
    lines: tuple[UndoLinePart, ...]
    missing: tuple[int, ...]
    branches: tuple[UndoBranchPart, ...]
    missing_branches: tuple[tuple[int, int], ...]


class CodePart(_Part):
    """The undo code of a scenario, as far as it was seen: called by a run, or registered as an undo.

    `branch` says whether branches were measured, `unmeasured` names files that the measurement leaves out.
    """

    branch: bool
    undos: tuple[UndoCodePart, ...]
    unmeasured: tuple[str, ...] = ()
