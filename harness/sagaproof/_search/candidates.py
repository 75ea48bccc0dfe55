"""Where the next fault can go: the points of a history after its last injected one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sagaproof._model.event import Called, Ended, Noted, Sent
from sagaproof._model.fault import Applied, Fault, Learnt, applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.plan import ALL, Injection, Plan
from sagaproof._model.point import Phase, PointClass
from sagaproof._search.gaps import Gap
from sagaproof._search.settings import DURATIONS, Settings

__all__ = ["Candidates", "cells_of", "classes_of", "point_class"]


_POINTS = frozenset({Called, Noted, Sent})


class _Option(NamedTuple):
    fault: str
    times: int
    asks: bool = False


class Candidates:
    """The extensions of a plan by one fault, by the canonical rule: only after the last injected point.

    Every reachable set of faults is generated exactly once that way, points that exist only because of
    earlier faults included (Filibuster's dynamic discovery, without its duplicates). `restarts` says whether
    the saga can be started again after a crash: then it is also killed, and a desk that cannot be reached can
    be told later. `cancels` says whether it is asynchronous, so that it can be cancelled.
    """

    def __init__(self, settings: Settings, *, restarts: bool = False, cancels: bool = False) -> None:
        self._settings = settings
        self._cancels = cancels
        self._restarts = restarts
        self._kinds = settings.kinds()
        self._durations = tuple(DURATIONS[name] for name in settings.durations)
        self.met: set[str] = set()
        self._options: dict[tuple[str, Phase], tuple[_Option, ...]] = {}
        self.excluded: dict[tuple[str, str], str] = {}

    def of(self, history: History) -> tuple[Injection, ...]:
        """Each injection that extends the history's plan, in the order of the trace."""
        found: list[Injection] = []
        for called in _points(history):
            options = self._at(history.operations[called.point.operation], called.phase)
            found.extend(
                Injection(called.point, option.fault, option.times)
                for option in options
                if not option.asks or self._suits(option, called)
            )
        return tuple(found)

    def count(self, history: History) -> int:
        """How many there are, without making them."""
        return len(self.of(history))

    def _at(self, operation: Operation, phase: Phase) -> tuple[_Option, ...]:
        known = self._options.get((operation.full, phase))
        if known is None:
            self._exclude_harm(operation, phase)
            known = self._options[operation.full, phase] = tuple(
                _Option(fault.name, times, fault.needs_key or self._has_condition(operation, fault))
                for fault in self._kinds
                if applicable(fault, operation, phase)
                for times in self._times(fault)
                if self._wanted(operation, phase, fault, times)
            )
        return known

    def _exclude_harm(self, operation: Operation, phase: Phase) -> None:
        """Say which kinds of harm a store is not told how to come to."""
        if phase is not Phase.JOURNAL or not self._restarts:
            return
        missing = [f.name for f in self._kinds if f.harm is not None and not applicable(f, operation, phase)]
        if missing:
            reason = "world.durable was not told how: pass store="
            self.excluded[operation.full, ", ".join(missing)] = reason

    def _has_condition(self, operation: Operation, fault: Fault) -> bool:
        return any(c.covers(operation.full, fault.name) for c in self._settings.when)

    def _suits(self, option: _Option, called: Called | Noted | Sent) -> bool:
        """Whether a fault can be put on this very call: one without a key has no key to get lost."""
        if not isinstance(called, Called):
            return True
        if called.key is None and FAULTS[option.fault].needs_key:
            return False
        operation = called.point.operation
        for condition in self._settings.when:
            if condition.covers(operation, option.fault):
                if not condition.holds(called):
                    return False
                self.met.add(condition.cell)
        return True

    def join(self, met: Iterable[str], excluded: Mapping[tuple[str, str], str]) -> None:
        """Take in which conditions were met, and what was excluded, where runs were looked at elsewhere."""
        self.met.update(met)
        for at, reason in excluded.items():
            self.excluded.setdefault(at, reason)

    def gaps(self) -> list[Gap]:
        """Each condition that no call fulfilled: its faults were put on nothing."""
        cells = (condition.cell for condition in self._settings.when)
        return [
            Gap("when", cell, f"when={cell!r} held for no call: its faults were not tried", spoils=False)
            for cell in cells
            if cell not in self.met
        ]

    def _times(self, fault: Fault) -> tuple[int, ...]:
        return self._durations if fault.spans else (1,)

    def _wanted(self, operation: Operation, phase: Phase, fault: Fault, times: int) -> bool:
        if not self._restarts and _wants_a_new_process(fault):
            name = "crash-*" if fault.learnt is Learnt.DEATH else fault.family
            self.excluded["*", name] = "nothing says what a new process does: pass recover="
            return False
        if fault.family == "cancel" and not self._cancels:
            self.excluded["*", "cancel*"] = "a saga that is not asynchronous cannot be cancelled"
            return False
        reason = "" if self._restarts else _without_a_desk(phase, fault, times)
        for exclusion in self._settings.exclude:
            if exclusion.covers(operation.full, fault.name):
                reason = exclusion.reason
        if reason:
            name = fault.name if times != ALL else f"{fault.name}/all"
            self.excluded[operation.full, name] = reason
        return not reason


def _wants_a_new_process(fault: Fault) -> bool:
    """Whether it shows nothing without one; a store that none reads is as good as none."""
    return fault.learnt is Learnt.DEATH or fault.family == "store" or fault.pauses


def _without_a_desk(phase: Phase, fault: Fault, times: int) -> str:
    """A desk that cannot be reached for good leaves nobody to tell: no saga in one process can do better."""
    if phase is not Phase.ESCALATE:
        return ""
    lasting = times == ALL or fault.macro
    refused = fault.learnt is Learnt.STATUS and fault.applied is Applied.NO and (fault.status or 0) < 500
    return "a desk that never answers leaves nobody to tell" if lasting or refused else ""


def _points(history: History) -> list[Called | Noted | Sent]:
    """The arrivals, journal writes and events without a fault that come after the last injected point.

    What comes after the end of the saga is not its own doing.
    """
    last = -1
    found: list[Called | Noted | Sent] = []
    armed = {injection.point for injection in history.plan}
    for event in history.events:
        if event.__class__ in _POINTS:
            assert isinstance(event, Called | Noted | Sent)
            if event.point in armed:
                last = len(found)
            found.append(event)
        elif event.__class__ is Ended:
            break
    return [called for called in found[last + 1 :] if called.fault is None]


def classes_of(history: History, plan: Plan) -> tuple[PointClass, ...]:
    """The point class of each injection of a plan, as it was met in this history."""
    wanted = {injection.point for injection in plan}
    found = {}
    pivoted = False
    for event in history.events:
        if isinstance(event, Called | Noted | Sent):
            operation = history.operations[event.point.operation]
            if event.point in wanted:
                found[event.point] = point_class(event, operation, after_pivot=pivoted)
            pivoted = pivoted or operation.cls is EffectClass.IRREVERSIBLE
    return tuple(found[injection.point] for injection in plan if injection.point in found)


def cells_of(history: History) -> tuple[tuple[PointClass, str], ...]:
    """The point class of each fault of a run, and which one it was."""
    classes = classes_of(history, history.plan)
    return tuple((where, one.fault) for where, one in zip(classes, history.plan, strict=True))


def point_class(called: Called | Noted | Sent, operation: Operation, *, after_pivot: bool) -> PointClass:
    """The class of an arrival: its counts dropped, its place relative to the pivot kept."""
    pivot = operation.cls is EffectClass.IRREVERSIBLE
    position = "pivot" if pivot else "after-pivot" if after_pivot else "before-pivot"
    attempt = "first" if called.point.attempt == 1 else "retry"
    return PointClass(called.point.operation, called.phase, attempt, position)
