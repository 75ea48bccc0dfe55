"""The faults of a plan, numbered in the order in which the run met them, and said in words."""

from __future__ import annotations

from typing import Final

from sagaproof._model.event import Called, Noted, Sent
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.plan import ALL, Injection, Plan
from sagaproof._report.schema import FaultPart

__all__ = ["FaultBook", "fault_parts", "meaning_of"]

_DEATHS: Final = {
    ("crash-before", False): "the process dies before it is sent",
    ("crash-before", True): "the process dies before it is written",
    ("crash-after", True): "the process dies right after it is written",
}
"""How it is said where the process dies: at a call or, if the second is true, at a write into a store."""


_POINTS: Final = frozenset({Called, Noted, Sent})


class FaultBook:
    """Which of a plan's faults an arrival, a write into a store, or an event, met: by its number."""

    def __init__(self, plan: Plan, history: History | None) -> None:
        self.order: list[Injection] = _in_order(plan, history)

    def number_at(self, called: Called | Noted | Sent) -> int | None:
        """The number of the fault that was met here; None if none was."""
        if called.fault is None:
            return None
        point = called.point
        found = None
        for number, injection in enumerate(self.order, start=1):
            if injection.fault != called.fault:
                continue
            at = injection.point
            same_call = (at.operation, at.n) == (point.operation, point.n) and at.attempt <= point.attempt
            fault = FAULTS[injection.fault]
            macro = fault.macro and fault.reaches(at.operation, point.operation)
            if same_call or (macro and found is None):
                found = number
        return found


def meaning_of(name: str) -> str:
    """What a kind of fault means, in words; empty for one that this version does not know."""
    return FAULTS[name].meaning if name in FAULTS else ""


def fault_parts(plan: Plan, history: History | None) -> tuple[FaultPart, ...]:
    """Each fault of the plan with its number and its words."""
    writes = None if history is None else {event.point for event in history.of(Noted)}
    return tuple(
        FaultPart(
            number=number,
            point=str(injection.point),
            fault=injection.fault,
            text=_words(injection, at_write=None if writes is None else injection.point in writes),
        )
        for number, injection in enumerate(FaultBook(plan, history).order, start=1)
    )


def _in_order(plan: Plan, history: History | None) -> list[Injection]:
    met: dict[object, int] = {}
    for position, event in enumerate(() if history is None else history.events):
        if event.__class__ in _POINTS:
            assert isinstance(event, Called | Noted | Sent)
            met.setdefault(event.point, position)
    return sorted(plan, key=lambda injection: (met.get(injection.point, len(met)), injection))


def _words(injection: Injection, *, at_write: bool | None) -> str:
    fault = FAULTS[injection.fault]
    words = fault.meaning if at_write is None else _DEATHS.get((fault.name, at_write), fault.meaning)
    if injection.times == ALL and fault.spans:
        words += ", until given up"
    elif injection.times > 1:
        words += f", {injection.times} times"
    if injection.point.attempt > 1:
        words += f", at attempt {injection.point.attempt}"
    if injection.point.restart:
        words += f", after restart {injection.point.restart}"
    return words
