"""What is known of the undo code of a campaign: which of its lines ran, under what, and which never did."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Branch", "CodeFound", "RanUnder", "UndoFunction"]

Branch = tuple[int, int]
"""From a line to a line; a negative one is the way out of what begins there (as coverage.py counts)."""


@dataclass(frozen=True, slots=True)
class RanUnder:
    """In how many runs, with which kinds of fault in their plans, and the smallest of these plans.

    No kinds: it only ran where nothing failed, as when an agent gives up by itself.
    """

    runs: int
    faults: tuple[str, ...]
    plan: str


@dataclass(frozen=True, slots=True)
class UndoFunction:
    """The undo code in one function: the whole of it, or what of it only ran to undo.

    Of lines and branches that ran it is told under what. Where branches are not measured there are none.
    """

    file: str
    name: str
    lines: dict[int, RanUnder]
    missing: tuple[int, ...]
    branches: dict[Branch, RanUnder]
    missing_branches: tuple[Branch, ...]

    @property
    def without_fault(self) -> tuple[int, ...]:
        """The lines that ran, but never in a run with a fault."""
        return tuple(line for line, under in self.lines.items() if not under.faults)


@dataclass(frozen=True, slots=True)
class CodeFound:
    """The undo code of a campaign. `unmeasured` names the files that the measurement leaves out."""

    functions: tuple[UndoFunction, ...]
    unmeasured: tuple[str, ...]
    branch: bool
