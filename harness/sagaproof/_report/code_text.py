"""What is told of the undo code in lines: `undo code not reached: billing_saga.py:41-44, 52`.

Of several scenarios together: what one of them has reached is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sagaproof._report.code_schema import CodePart, UndoCodePart

__all__ = ["code_lines", "ranges"]


@dataclass
class _File:
    """The undo code of a file over all scenarios."""

    ran: dict[int, bool] = field(default_factory=dict)  # whether a fault was in one of the runs
    missing: set[int] = field(default_factory=set)
    taken: set[tuple[int, int]] = field(default_factory=set)
    not_taken: set[tuple[int, int]] = field(default_factory=set)

    def add(self, undo: UndoCodePart) -> None:
        for line in undo.lines:
            self.ran[line.line] = self.ran.get(line.line, False) or bool(line.faults)
        self.missing.update(undo.missing)
        self.taken.update((branch.line, branch.to) for branch in undo.branches)
        self.not_taken.update(undo.missing_branches)

    @property
    def never(self) -> list[int]:
        return sorted(self.missing - self.ran.keys())

    @property
    def calm(self) -> list[int]:
        return sorted(line for line, faulty in self.ran.items() if not faulty)

    @property
    def open_branches(self) -> list[tuple[int, int]]:
        """Those not taken from a line that ran; a line that never ran speaks for the ways to it."""
        gone = set(self.never)
        left = self.not_taken - self.taken
        return sorted(branch for branch in left if branch[0] in self.ran and branch[1] not in gone)


def code_lines(parts: Iterable[CodePart | None]) -> list[str]:
    """What no fault has reached; that all was, if it was; nothing where nothing was measured."""
    measured = [part for part in parts if part is not None]
    if not measured:
        return []
    files: dict[str, _File] = {}
    for part in measured:
        for undo in part.undos:
            files.setdefault(undo.file, _File()).add(undo)
    unmeasured = sorted({file for part in measured for file in part.unmeasured})
    lines = [*_gaps(dict(sorted(files.items())))]
    if not files and not unmeasured:
        return ["undo code: none was seen, as no run called to undo and no undo is registered"]
    if not lines and files:
        count = sum(len(file.ran) for file in files.values())
        lines = [f"undo code: faults reached each of its {count} lines"]
    if unmeasured:
        lines.append(f"undo code not measured, as coverage.py leaves it out: {', '.join(unmeasured)}")
    return lines


def _gaps(files: Mapping[str, _File]) -> Iterator[str]:
    never = [f"{name}:{ranges(f.never, f.ran)}" for name, f in files.items() if f.never]
    calm = [f"{name}:{ranges(f.calm, {})}" for name, f in files.items() if f.calm]
    branches = [f"{name}:{_branches(f.open_branches)}" for name, f in files.items() if f.open_branches]
    if never:
        yield f"undo code not reached: {'; '.join(never)}"
    if calm:
        yield f"undo code reached only without a fault: {'; '.join(calm)}"
    if branches:
        yield f"undo branches not taken: {'; '.join(branches)}"


def _branches(found: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{line}->{to if to > 0 else 'exit'}" for line, to in found)


def ranges(lines: Iterable[int], between: Iterable[int]) -> str:
    """Lines as `41-44, 52`: those are joined that none of the other statements stand `between`."""
    others = frozenset(between)
    groups: list[list[int]] = []
    for line in lines:
        if groups and not any(other in others for other in range(groups[-1][-1], line)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]}-{g[-1]}" for g in groups)
