"""Who runs the plans of a campaign: this process, one after the other, or workers."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import NamedTuple, Protocol

from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._search.audit import Ask
from sagaproof._search.comparison import Pair, alike
from sagaproof._search.judge import Judge
from sagaproof._search.portion import Returned
from sagaproof._search.settings import Settings
from sagaproof._search.shown import Errand
from sagaproof._search.subject import Subject
from sagaproof._search.watch import Watch
from sagaproof.errors import SagaproofError

__all__ = ["Compared", "Hands", "Here", "Worker"]


class Hands(Protocol):
    """Runs plans of one campaign, whose fault-free run of each script is made before the first of them."""

    def run(self, script: Script, errands: Sequence[Errand]) -> Generator[Returned, None, None]:
        """Run plans; what they showed comes in their order."""

    def prepare(self, script: Script, pairs: Sequence[Pair]) -> Ask:
        """Get ready to be asked for these, in their order. Some may be left out."""

    def close(self) -> None:
        """Let go of whoever helps."""


class Here:
    """The hands of this process: a run is made when it is asked for."""

    def __init__(self, runner: Runner, watch: Watch, baselines: dict[str, History]) -> None:
        self._runner = runner
        self._watch = watch
        self._baselines = baselines

    def run(self, script: Script, errands: Sequence[Errand]) -> Generator[Returned, None, None]:
        """Run plans one by one; what they have in common goes to the watch of the campaign."""
        for errand in errands:
            history = self._run(script, errand.plan)
            yield Returned([self._watch.look(history, errand)])

    def prepare(self, script: Script, _pairs: Sequence[Pair]) -> Ask:
        """Run each pair when it is asked for."""
        return lambda pair: alike(pair, lambda plan: self._run(script, plan), self._watch.judge)

    def close(self) -> None:
        """Nobody helps."""

    def _run(self, script: Script, plan: Plan) -> History:
        return self._runner.run(script, plan, self._baselines[script.name])


class Compared(NamedTuple):
    """A batch of pairs: whether each shows the same, and the errors of checks that broke over them."""

    alike: Sequence[bool | None]
    told: Sequence[tuple[str, str]]
    error: SagaproofError | None = None


class Worker:
    """Runs batches in a process of its own. Each is a function of its plans alone, and can be run again."""

    def __init__(
        self, subject: Subject, settings: Settings, runner: Runner, baselines: dict[str, History]
    ) -> None:
        self.runner = runner
        self._subject = subject
        self._settings = settings
        self._scripts = {script.name: script for script in subject.all_scripts()}
        self._baselines = baselines

    def run(self, script: str, errands: Iterable[Errand]) -> Returned:
        """Run plans up to the first error."""
        watch = Watch(self._subject, self._settings)
        shown = []
        error = None
        try:
            for errand in errands:
                history = self._run(script, errand.plan)
                shown.append(watch.look(history, errand))
                watch.keep(history)
        except SagaproofError as ended:
            error = ended
        return Returned(shown, watch.hand_over(self.runner.said()), error)

    def compare(self, script: str, pairs: Iterable[Pair]) -> Compared:
        """Compare pairs up to the first error."""
        judge: Judge = Watch(self._subject, self._settings).judge
        found = []
        error = None
        try:
            for pair in pairs:
                found.append(alike(pair, lambda plan: self._run(script, plan), judge))  # noqa: PERF401  # kept so far
        except SagaproofError as ended:
            error = ended
        return Compared(found, judge.told, error)

    def _run(self, script: str, plan: Plan) -> History:
        if script not in self._baselines:
            fault_free = self._baselines[script] = self.runner.run(self._scripts[script], EMPTY)
            fault_free.twin = fault_free
        return self.runner.run(self._scripts[script], plan, self._baselines[script])
