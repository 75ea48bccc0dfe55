"""A right saga of any number of steps, of which it is known on paper how many plans there are for it.

Each step issues a credit under a key of its own and is tried again after an error. If it fails for good, all
steps are undone by their keys, newest first, with as many tries; an undo that fails for good is told to the
desk, which is tried until it answers. So all faults that can pass, whether or not the effect was applied,
lead to the same calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sagaproof import ToolError
from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.faults import FAULTS
from sagaproof._search.settings import Exclusion, Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof_fakes.billing import Billing
from sagaproof_fakes.desk import Desk

__all__ = ["FAULTS_MAX", "Shape", "settings", "subject"]

_PASSING: Final = ("503", "lost", "timeout", "torn", "500", "500-applied", "garbage", "502", "504", "empty")
FAULTS_MAX: Final = len(_PASSING)
_DESK_TRIES: Final = 10
_TIMEOUT_S: Final = 5.0
_FAILURES: Final = (ToolError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a saga and of its campaign: `retries` follow a first try, `faults` may meet each call.

    With `lasting`, each of them also lasts until the call is given up.
    """

    steps: int
    retries: int = 0
    faults: int = 4
    k: int = 2
    lasting: bool = False


def settings(shape: Shape, *, reduce: bool = True) -> Settings:
    """A campaign in which any of so many faults meets any one try of any call."""
    wanted = _PASSING[: shape.faults]
    others = tuple(Exclusion("*", name, "not counted here") for name in FAULTS if name not in wanted)
    durations = ("once", "all") if shape.lasting else ("once",)
    return Settings(faults=shape.k, statuses="all", durations=durations, exclude=others, reduce=reduce)


def subject(shape: Shape) -> Subject:
    """The saga, judged by every check."""
    systems = {system.name: system for system in (Billing(), Desk())}
    return Subject(f"{shape.steps} steps", CallableDriver(partial(_run, shape)), systems, checks())


def _run(shape: Shape, world: WorldHandle) -> str:
    world.billing.add_customer("cus_7", name="Ada", email="ada@acme.test")
    return _Saga(world, shape).run()


class _Saga:
    def __init__(self, world: WorldHandle, shape: Shape) -> None:
        self._billing, self._desk = world.direct.billing, world.direct.desk
        self._shape = shape
        self._cause = ""

    def run(self) -> str:
        for number in range(1, self._shape.steps + 1):
            error = self._error_of(partial(self._issue, number), self._shape.retries)
            if error:
                self._cause = f"issue_credit: {error}"
                return self._unwind(number)
        return "completed"

    def _unwind(self, last: int) -> str:
        claim = "compensated"
        for number in range(last, 0, -1):
            error = self._error_of(partial(self._undo, number), self._shape.retries)
            if error:
                claim = "escalated"
                silent = self._error_of(partial(self._tell, last, number, error), _DESK_TRIES - 1)
                assert not silent, "there are more faults than tries"
        return claim

    def _error_of(self, call: Callable[[], object], retries: int) -> str:
        """The last error of a call that fails for good; empty if it is done."""
        error = ""
        for attempt in range(1 + retries):
            time.sleep(attempt)
            try:
                call()
            except _FAILURES as failure:
                error = f"{type(failure).__name__}: {failure}"
            else:
                return ""
        return error

    def _issue(self, number: int) -> object:
        args: dict[str, Any] = {"customer": "cus_7", "amount": number, "reference": str(number)}
        return self._billing.issue_credit(**args, key=f"step-{number}", timeout_s=_TIMEOUT_S)["id"]

    def _undo(self, number: int) -> object:
        return self._billing.undo_by_key("issue_credit", f"step-{number}")["state"]

    def _tell(self, last: int, number: int, error: str) -> object:
        """Open a case for one step, with all that there is to know of the others."""
        steps = [f"issue_credit under step-{one}" for one in range(1, last + 1)]
        package = {"cause": self._cause, "steps": steps, "next": f"see to step-{number}: {error}"}
        title, key = f"step-{number} could not be undone", f"case-{number}"
        return self._desk.open_case(title=title, package=package, key=key)["id"]
