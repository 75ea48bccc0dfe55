"""What sagaproof raises at its callers. Findings are values and never raised as such."""

from __future__ import annotations

from difflib import get_close_matches
from typing import ClassVar

__all__ = [
    "HostClash",
    "InternalError",
    "LeakError",
    "NotDeterministic",
    "NotInjected",
    "PlanError",
    "SagaproofError",
    "UsageError",
    "WorkerDied",
]


class SagaproofError(Exception):
    """Base of all: says what went wrong (with the value), where, and what to do."""

    slug: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: str = "", advice: str = "") -> None:
        self.what = what
        self.where = where
        self.advice = advice
        super().__init__(what, where, advice)

    def __str__(self) -> str:
        text = f"{self.what} ({self.where})" if self.where else self.what
        return f"{text}. {self.advice}" if self.advice else text

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.where, self.advice)


def _rebuild(kind: type[SagaproofError], what: str, where: str, advice: str) -> SagaproofError:
    return kind(what, where=where, advice=advice)


class UsageError(SagaproofError):
    """Something in the caller's code or settings has to change."""

    slug = "usage"


class HostClash(UsageError):
    """Two systems answer for one host."""

    slug = "host-clash"


class PlanError(UsageError):
    """A plan text cannot be read; `column` (from 1) is where."""

    slug = "plan"

    def __init__(self, what: str, *, text: str, column: int, advice: str = "") -> None:
        self.text = text
        self.column = column
        super().__init__(what, where=f"column {column} of {text!r}", advice=advice)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_plan_error, (self.what, self.text, self.column, self.advice)


def _rebuild_plan_error(what: str, text: str, column: int, advice: str) -> PlanError:
    return PlanError(what, text=text, column=column, advice=advice)


class LeakError(UsageError):
    """A connection to a host that is neither faked nor loopback was about to leave the world."""

    slug = "leak"


class NotDeterministic(UsageError):
    """The same plan gave two different histories."""

    slug = "not-deterministic"


class WorkerDied(SagaproofError):
    """Two workers died over the same runs, which can therefore not be judged."""

    slug = "worker-died"


class InternalError(SagaproofError):
    """A fault of sagaproof itself: please report it, with the plan."""

    slug = "internal"


class NotInjected(InternalError):
    """A fault was planned and never met its point, so the run proves nothing."""

    slug = "not-injected"


def suggest(name: str, known: object) -> str:
    """Advice that names the nearest of the `known` names, or lists a few of them."""
    names = sorted(str(k) for k in known) if hasattr(known, "__iter__") else []
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]!r}?"
    if not names:
        return ""
    more = ", ..." if len(names) > 12 else ""
    return "Known: " + ", ".join(names[:12]) + more
