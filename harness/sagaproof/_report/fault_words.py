"""The faults of a plan, numbered in the order in which the run met them, and said in words."""

from __future__ import annotations

from sagaproof._model.event import Called
from sagaproof._model.fault import FAULTS
from sagaproof._model.history import History
from sagaproof._model.plan import ALL, Injection, Plan
from sagaproof._report.schema import FaultPart

__all__ = ["FaultBook", "fault_parts"]


class FaultBook:
    """Which of a plan's faults an arrival met, by its number."""

    def __init__(self, plan: Plan, history: History | None) -> None:
        self.order: list[Injection] = _in_order(plan, history)

    def number_at(self, called: Called) -> int | None:
        """The number of the fault that this arrival met; None if it met none."""
        if called.fault is None:
            return None
        point = called.point
        system = point.operation.partition(".")[0]
        found = None
        for number, injection in enumerate(self.order, start=1):
            if injection.fault != called.fault:
                continue
            at = injection.point
            same_call = (at.operation, at.n) == (point.operation, point.n) and at.attempt <= point.attempt
            macro = FAULTS[injection.fault].macro and at.operation.partition(".")[0] == system
            if same_call or (macro and found is None):
                found = number
        return found


def fault_parts(plan: Plan, history: History | None) -> tuple[FaultPart, ...]:
    """Each fault of the plan with its number and its words."""
    return tuple(
        FaultPart(number=number, point=str(injection.point), fault=injection.fault, text=_words(injection))
        for number, injection in enumerate(FaultBook(plan, history).order, start=1)
    )


def _in_order(plan: Plan, history: History | None) -> list[Injection]:
    met: dict[object, int] = {}
    for position, event in enumerate(() if history is None else history.events):
        if event.__class__ is Called:
            assert isinstance(event, Called)
            met.setdefault(event.point, position)
    return sorted(plan, key=lambda injection: (met.get(injection.point, len(met)), injection))


def _words(injection: Injection) -> str:
    fault = FAULTS[injection.fault]
    words = fault.meaning
    if injection.times == ALL and fault.spans:
        words += ", until given up"
    elif injection.times > 1:
        words += f", {injection.times} times"
    if injection.point.attempt > 1:
        words += f", at attempt {injection.point.attempt}"
    if injection.point.restart:
        words += f", after restart {injection.point.restart}"
    return words
