"""What a campaign has not tried at all: undos that no run made, tools that no script calls (H7).

An undo that was never run may be broken, and no check would know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sagaproof._checks.agent_steps import steps_of
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.point import Phase
from sagaproof._search.gaps import Gap

__all__ = ["UNDO_NEVER_RUN", "Coverage", "never_called", "never_taken_back"]

UNDO_NEVER_RUN: Final = "undo-never-run"
"""How the lines that name such an undo begin."""

_TOOLS: Final = "tools."
_REVERSIBLE: Final = frozenset({EffectClass.REVERSIBLE, EffectClass.COMPENSABLE})


class Coverage:
    """Gathers over the runs of a campaign what was called, and what of it was ever taken back."""

    def __init__(self) -> None:
        self._undos: dict[str, tuple[str, ...]] = {}
        self._taken_back: set[str] = set()
        self._asked: set[str] = set()
        self._wanted: set[str] = set()
        self._undone: set[str] = set()

    def add(self, history: History) -> None:
        """Take in one run."""
        declared = _undos_of(history.operations)
        undoable = {call.index for call in _before_pivot(history)}
        for index in undoable:
            full = history.calls[index].operation.full
            self._undos.setdefault(full, declared.get(full, ()))
        undone = {c.undoes.call for c in history.calls if c.undoes is not None and c.undoes.call is not None}
        self._taken_back.update(history.calls[index].operation.full for index in undone)
        if history.script.opaque:
            return
        for step in steps_of(history):
            made = {call.index for call in step.calls}
            self._asked.add(step.tool)
            self._wanted.update((step.tool,) if made & undoable else ())
            self._undone.update((step.tool,) if made & undone else ())

    def join(self, later: Coverage) -> None:
        """Take in what was gathered over the runs that came next."""
        for full, undos in later._undos.items():
            self._undos.setdefault(full, undos)
        self._taken_back |= later._taken_back
        self._asked |= later._asked
        self._wanted |= later._wanted
        self._undone |= later._undone

    def gaps(self, tools: Iterable[Any]) -> Iterator[Gap]:
        """What was not tried. `tools` are those that a saga which is fed says it has.

        They are objects with a `name`, perhaps with an `undo`.
        """
        for name, undo in self._never_run(tools):
            text = f"{UNDO_NEVER_RUN}: no run made {undo}, the undo of {name}"
            yield Gap("undo", name, text, spoils=True)
        taken_back = self._never_taken_back()
        if taken_back:
            yield Gap("taken back", ", ".join(taken_back), never_taken_back(taken_back), spoils=False)
        called = self._never_called(tools)
        if called:
            yield Gap("called", ", ".join(called), never_called(called), spoils=False)

    def _never_run(self, tools: Iterable[Any]) -> list[tuple[str, str]]:
        """Each undo that is declared with a tool, and that no run made though it had a use."""
        own = ((full, undos) for full, undos in self._undos.items() if full.startswith(_TOOLS) and undos)
        left = {full: " or ".join(undos) for full, undos in own if full not in self._taken_back}
        for tool in tools:
            undo = getattr(tool, "undo", None)
            name = str(tool.name)
            used = name in self._wanted and not getattr(tool, "forward_only", False)
            if undo is not None and used and name not in self._undone:
                left[name] = str(getattr(undo, "__name__", "it"))
        return list(left.items())

    def _never_taken_back(self) -> list[str]:
        """The other calls that could be undone, and that no run took back."""
        return [
            f"{full} (by {' or '.join(name.partition('.')[2] for name in undos)})"
            for full, undos in self._undos.items()
            if not full.startswith(_TOOLS) and undos and full not in self._taken_back
        ]

    def _never_called(self, tools: Iterable[Any]) -> list[str]:
        """The tools that a saga says it has and that no script calls."""
        return [name for name in dict.fromkeys(str(tool.name) for tool in tools) if name not in self._asked]


def never_taken_back(names: Iterable[str]) -> str:
    """One line on calls that could be undone, and that no run took back."""
    return f"no run took any of these back: {', '.join(names)}"


def never_called(names: Iterable[str]) -> str:
    """One line on tools that no script calls."""
    return f"no script calls {', '.join(names)}"


def _undos_of(operations: Mapping[str, Operation]) -> dict[str, tuple[str, ...]]:
    """For each operation those that take it back, by their names."""
    found: dict[str, tuple[str, ...]] = {}
    for operation in operations.values():
        for target in operation.undoes:
            at = f"{operation.system}.{target}"
            found[at] = (*found.get(at, ()), operation.full)
    return found


def _before_pivot(history: History) -> Iterator[Call]:
    """The calls that took effect, can be undone, and were made before anything irreversible was.

    After that nobody unwinds, and an undo is not wanted.
    """
    for call in history.calls:
        if call.operation.cls is EffectClass.IRREVERSIBLE and call.effects:
            return
        if call.phase is not Phase.FORWARD or call.operation.cls not in _REVERSIBLE:
            continue
        if call.effects and not call.operation.undoes:
            yield call
