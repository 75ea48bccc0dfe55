"""Running and judging what a machine has drafted: the same run, and the same checks, as the explorer's."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from sagaproof._checks.protocol import Verdict
from sagaproof._model.event import Called, Noted, Sent
from sagaproof._model.fault import Fault, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.point import Point, PointClass
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign
from sagaproof._search.candidates import Candidates, point_class
from sagaproof._search.facts import FactBook
from sagaproof._search.judge import Judge
from sagaproof._search.record import Book, Record
from sagaproof._search.settings import DURATIONS, Settings
from sagaproof._search.subject import Subject
from sagaproof.errors import InternalError

__all__ = ["Place", "Trial", "Trials", "classes_by_point"]


class Place(NamedTuple):
    """A point that a run came to, where in its history that was, and the faults that fit there."""

    at: int
    point: Point
    fitting: Sequence[Injection]


@dataclass(slots=True)
class Trial:
    """A script under a plan, and what it came to. `violated` is in the order in which checks are listed."""

    script: Script
    plan: Plan
    history: History
    record: Record
    violated: dict[str, Verdict]


class Trials:
    """All runs of one machine, counted in a campaign like any other."""

    def __init__(self, subject: Subject, settings: Settings, runner: Runner) -> None:
        self.subject = subject
        self.settings = settings
        self.runner = runner
        self.campaign = Campaign(subject.name, settings, ())
        self.runs = 0
        self.facts = FactBook()
        self._judge = Judge(subject.checks, self.campaign, subject.sometimes)
        self.candidates = Candidates(
            settings, restarts=subject.driver.restarts, cancels=subject.driver.asynchronous
        )

    def fault_free(self, script: Script) -> History:
        """The run without faults, which is its own twin."""
        history = self.run(script, EMPTY, None)
        history.twin = history
        return history

    def run(self, script: Script, plan: Plan, twin: History | None) -> History:
        """One run. Raises `NotInjected` if a planned fault never met its point."""
        self.runs += 1
        return self.runner.run(script, plan, twin)

    def judged(self, history: History) -> Trial:
        """The run with its verdicts. Raises `InternalError` if a check broke."""
        record, violated = self._judge.judge(history)
        if self.campaign.errors:
            raise InternalError(self.campaign.errors[0])
        return Trial(history.script, history.plan, history, record, violated)

    def kept(self, trial: Trial) -> None:
        """Count a run: its verdicts, the cells of its faults, the states that it reached."""
        self.facts.add(trial.history)
        self._judge.keep(trial.history, trial.record, trial.violated, Book(), inert=False)

    def of(self, script: Script, plan: Plan) -> Trial:
        """A script under a plan, run and judged."""
        twin = self.fault_free(script)
        return self.judged(self.run(script, plan, twin) if plan else twin)

    def conclude(self) -> None:
        """Count which states were reached at all."""
        self._judge.conclude_sometimes(self.facts.facts())

    def places(self, history: History) -> list[Place]:
        """The points after the last fault of a run, with what fits there, in the order of the trace."""
        fitting = self.candidates.of(history)
        if not fitting:
            return []
        at = _positions(history)
        return [
            Place(at[point], point, tuple(injections))
            for point, injections in groupby(fitting, key=lambda injection: injection.point)
        ]

    @cached_property
    def kinds(self) -> tuple[tuple[str, int], ...]:
        """Every fault with how long it lasts, simplest first."""
        durations = tuple(DURATIONS[name] for name in self.settings.durations)
        return tuple(
            (fault.name, times)
            for fault in self.settings.kinds()
            if self._can_be_put(fault)
            for times in (durations if fault.spans else (1,))
        )

    @property
    def is_orderly(self) -> bool:
        """Whether calls of one turn come in one order: a saga that makes them in threads promises none."""
        driver = self.subject.driver
        return driver.asynchronous or not getattr(driver, "has_threads", False)

    def kills(self, fault: str) -> bool:
        """Whether a process dies of a fault."""
        return FAULTS[fault].learnt is Learnt.DEATH

    def cancels(self, fault: str) -> bool:
        """Whether a fault is that the user cancels."""
        return FAULTS[fault].family == "cancel"

    def _can_be_put(self, fault: Fault) -> bool:
        driver = self.subject.driver
        if fault.learnt is Learnt.DEATH:
            return driver.restarts
        return driver.asynchronous or fault.family != "cancel"

    @cached_property
    def core_kinds(self) -> tuple[tuple[str, int], ...]:
        """Of the faults that do the same, of those that kill and of those that last, the simplest each."""
        alike: dict[Hashable, tuple[str, int]] = {}
        for name, times in self.plain_kinds:
            fault = FAULTS[name]
            alike.setdefault((fault.applied, fault.learnt is Learnt.DEATH, times), (name, times))
        return tuple(alike.values())

    @cached_property
    def plain_kinds(self) -> tuple[tuple[str, int], ...]:
        """Of the faults that do and tell the same, and for as long, the simplest each."""
        alike: dict[Hashable, tuple[str, int]] = {}
        for name, times in self.kinds:
            fault = FAULTS[name]
            alike.setdefault((fault.applied, fault.learnt, fault.lands, fault.scope, times), (name, times))
        return tuple(alike.values())


def _positions(history: History) -> dict[Point, int]:
    """Where each point was met first."""
    at: dict[Point, int] = {}
    for position, event in enumerate(history.events):
        if isinstance(event, Called | Noted | Sent):
            at.setdefault(event.point, position)
    return at


def classes_by_point(history: History) -> dict[Point, PointClass]:
    """The class of each point that a run came to, in the order in which it did."""
    classes: dict[Point, PointClass] = {}
    pivoted = False
    for event in history.events:
        if isinstance(event, Called | Noted | Sent):
            operation = history.operations[event.point.operation]
            classes.setdefault(event.point, point_class(event, operation, after_pivot=pivoted))
            pivoted = pivoted or operation.cls is EffectClass.IRREVERSIBLE
    return classes
