"""What the plans of one subject come to: each is run when it is first asked for, and then known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign
from sagaproof._search.candidates import Candidates
from sagaproof._search.judge import Judge
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof.errors import InternalError

__all__ = ["FAULTS_MAX", "Outcome", "Outcomes"]

FAULTS_MAX: Final = 2
"""The most faults in one run. Without a bound a right saga fails too: no undo succeeds for ever in vain."""


class Outcome(NamedTuple):
    """The checks that a run violated, and for each point after its last fault the faults that fit there."""

    violated: frozenset[str]
    later: Sequence[Sequence[Injection]]


class Outcomes:
    """Runs and judges like the explorer does. Keeps no histories but the fault-free ones."""

    def __init__(self, subject: Subject, settings: Settings, runner: Runner) -> None:
        self.scripts: Sequence[Script] = tuple(subject.all_scripts())
        self._campaign = Campaign(subject.name, settings, ())
        self._judge = Judge(subject.checks, self._campaign)
        self._candidates = Candidates(
            settings, restarts=subject.driver.restarts, cancels=subject.driver.asynchronous
        )
        self._run: Callable[[Script, Plan, History | None], History] = runner.run
        self._fault_free: dict[str, History] = {}
        self._known: dict[tuple[str, Plan], Outcome] = {}

    def of(self, script: Script, plan: Plan) -> Outcome:
        """What a plan comes to. Raises `InternalError` if a check broke."""
        known = self._known.get((script.name, plan))
        if known is None:
            known = self._known[script.name, plan] = self._outcome(self._history(script, plan))
        return known

    def _history(self, script: Script, plan: Plan) -> History:
        twin = self._fault_free.get(script.name)
        if twin is None:
            twin = self._fault_free[script.name] = self._run(script, EMPTY, None)
            twin.twin = twin
        return self._run(script, plan, twin) if plan else twin

    def _outcome(self, history: History) -> Outcome:
        record, _ = self._judge.judge(history)
        if self._campaign.errors:
            raise InternalError(self._campaign.errors[0])
        room = len(history.plan) < FAULTS_MAX
        later = self._candidates.of(history) if room else ()
        by_point = groupby(later, key=lambda injection: injection.point)
        return Outcome(record.violated, tuple(tuple(fitting) for _, fitting in by_point))
