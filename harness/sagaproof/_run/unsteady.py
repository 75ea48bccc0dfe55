"""What makes runs differ and cannot be put in place of: noticed where it is asked for, in one run.

`datetime.now` and its like read the clock of the system, and `Random()` without a seed or the generators of
numpy draw on the system's entropy, all of it in C. A run is looked at through a profile function.
"""

from __future__ import annotations

import datetime as dt
import random
import sys
from types import FrameType
from typing import Any, Final, Self

from sagaproof._run.where import frames_of, is_of_user, place

__all__ = ["Unsteady"]

_CLOCKS: Final = frozenset({"now", "utcnow", "today"})
_SEED_CODE: Final = random.Random.__init__.__code__
_LIBRARY: Final = "numpy.random"


class Unsteady:
    """Looks at what the code of the user calls while it is entered; does nothing under another profiler.

    What libraries call for themselves does not count: a date in a log line is none of the saga's doing.
    """

    def __init__(self) -> None:
        self._found: dict[str, None] = {}
        self._watches = False

    def __enter__(self) -> Self:
        self._watches = sys.getprofile() is None
        if self._watches:
            sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        if self._watches:
            sys.setprofile(None)

    def notes(self) -> list[str]:
        """A line for each place that asked for the time or for chance in such a way."""
        return [*self._found]

    def _look(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            what = _clock(arg) or _chance(arg)
            if what and is_of_user(frame):
                self._note(what, frame)
        elif event == "call" and frame.f_code is _SEED_CODE and _is_unseeded(frame):
            caller = next(frames_of(frame.f_back), None)
            if caller is not None and is_of_user(caller):
                self._note("draws on chance that has no seed: random.Random()", caller)

    def _note(self, what: str, frame: FrameType) -> None:
        self._found.setdefault(f"{what} at {place(frame)}: no two runs have to be the same")


def _clock(function: Any) -> str:
    """How to say that a function of C reads the clock of the system; empty if it does not."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if name in _CLOCKS and isinstance(owner, type) and issubclass(owner, dt.date):
        return f"reads the clock of the system, not that of the world: {owner.__name__}.{name}()"
    return ""


def _chance(function: Any) -> str:
    owner = type(getattr(function, "__self__", None))
    if owner.__module__.startswith(_LIBRARY):
        return f"draws on chance that is not that of the run: {_LIBRARY}"
    return ""


def _is_unseeded(frame: FrameType) -> bool:
    made = frame.f_locals.get("self")
    return frame.f_locals.get("x") is None and type(made) is random.Random
