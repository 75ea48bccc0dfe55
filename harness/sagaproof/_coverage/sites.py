"""Where the runs called from: lines that only ever undid something, and lines that went forward too."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

from sagaproof._model.operation import Operation
from sagaproof._model.point import Phase
from sagaproof._taps.site import is_foreign

__all__ = ["Sites", "code_of"]

_Lines = dict[str, set[int]]


class Sites:
    """Filled call by call. `undo` and `forward` have the lines by file, `registered` the known undos.

    Each place on the stack of a call counts. One that is called from two others, as `send` is by all steps of
    a saga, is of both kinds.
    """

    def __init__(self) -> None:
        self.undo: _Lines = {}
        self.forward: _Lines = {}
        self.registered: dict[CodeType, None] = {}
        self._is_foreign = functools.lru_cache(maxsize=None)(is_foreign)

    def see(self, phase: Phase, operation: Operation, *, calm: bool) -> None:
        """Take in where the current call comes from; `calm` in a run without a fault.

        Under a fault, a call that could undo something and names nothing is of neither kind: it may be an
        undo that lacks the answer it needs.
        """
        if phase is Phase.UNDO:
            self._note(self.undo)
        elif phase is Phase.FORWARD and (calm or not (operation.undoes or operation.restores)):
            self._note(self.forward)

    def _note(self, into: _Lines) -> None:
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # made for this
        while frame is not None:
            file = frame.f_code.co_filename
            if not self._is_foreign(file):
                into.setdefault(file, set()).add(frame.f_lineno)
            frame = frame.f_back

    def state(self) -> tuple[_Lines, _Lines]:
        """What was seen, for another process."""
        return self.undo, self.forward

    def adopt(self, state: tuple[_Lines, _Lines]) -> None:
        """Add what another process has seen."""
        for mine, theirs in zip(self.state(), state, strict=True):
            for file, lines in theirs.items():
                mine.setdefault(file, set()).update(lines)

    def register(self, undo: Callable[..., Any] | None) -> None:
        """Take in an undo that is declared, whether or not any run calls it."""
        code = code_of(undo)
        if code is not None and not is_foreign(code.co_filename):
            self.registered[code] = None


def code_of(function: Any) -> CodeType | None:
    """The code of a function of the user's, whatever is wrapped around it; None for any other callable."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, MethodType):
        function = function.__func__
    found = inspect.unwrap(function) if callable(function) else None
    return found.__code__ if isinstance(found, FunctionType) else None
