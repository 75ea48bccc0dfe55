"""Running lists of plans as far as the budget goes, and counting what each of them showed."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign, Level
from sagaproof._search.carried import Evidence, Task
from sagaproof._search.hands import Hands
from sagaproof._search.order import Order
from sagaproof._search.portion import Returned
from sagaproof._search.record import Book, Record
from sagaproof._search.reduce import is_inert
from sagaproof._search.shown import Errand, Shown
from sagaproof._search.size import Size
from sagaproof._search.watch import Watch

__all__ = ["Progress", "Sweep"]


class Progress(NamedTuple):
    """How far a campaign is: runs made, runs known to be left at this size, findings so far."""

    k: int
    runs: int
    left: int
    findings: int


class Sweep:
    """All that a campaign runs goes through here: it keeps to the budget and gives each plan its number.

    It ends with the first finding of a check named in `enough`. `baselines` are the fault-free runs by name
    of script.
    """

    def __init__(  # noqa: PLR0917  # what runs, what looks on, and when to stop
        self,
        campaign: Campaign,
        watch: Watch,
        runner: Runner,
        hands: Hands,
        baselines: Mapping[str, History],
        on_progress: Callable[[Progress], None] | None,
        enough: frozenset[str],
    ) -> None:
        self._campaign = campaign
        self._settings = campaign.settings
        self._watch = watch
        self._judge = watch.judge
        self._runner = runner
        self._hands = hands
        self._baselines = baselines
        self._on_progress = on_progress
        self._enough = enough
        self._has_enough = False
        self._deadline = float("inf")
        self._number = 0
        self._numbers: dict[Plan, int] = {}
        self._for_others = 0
        self._orders: dict[str, Order] = {}

    def begin(self, now: float) -> None:
        """Count the seconds of the budget from `now`, a time of `time.perf_counter`."""
        if self._settings.seconds_max is not None:
            self._deadline = now + self._settings.seconds_max

    def is_spent(self) -> bool:
        """Whether nothing more is to be run."""
        return (
            self._has_enough or self._runs >= self._settings.runs_max or time.perf_counter() > self._deadline
        )

    @property
    def _runs(self) -> int:
        """All runs that were made, also those that another shard counts."""
        return self._campaign.runs + self._for_others

    def run(
        self, script: Script, tasks: list[Task], size: Size, evidence: Evidence | None = None
    ) -> list[Record]:
        """Run plans as far as the budget goes; what they look like is kept as `evidence`."""
        self._put_in_order(script, tasks)
        self.count_off(task.plan for task in tasks)
        if evidence is None and size.level.k == self._settings.faults:
            tasks = [task for task in tasks if size.owns(task.parent.plan)]
        made: list[Record] = []
        while len(made) < len(tasks) and not self.is_spent():
            now = tasks[len(made) :][: self._settings.runs_max - self._runs]
            errands = [Errand(task.plan, task.injection, evidence is not None) for task in now]
            with closing(self._hands.run(script, errands)) as coming:
                if not self._take_all(script, coming, iter(now), size, evidence, made):
                    break
        return made

    def count_off(self, plans: Iterable[Plan]) -> None:
        """Give each plan its place in the campaign, also those that other shards run."""
        self._numbers = {plan: number for number, plan in enumerate(plans, start=self._number + 1)}
        self._number += len(self._numbers)

    def _take_all(  # noqa: PLR0917  # the state of one sweep
        self,
        script: Script,
        coming: Generator[Returned, None, None],
        tasks: Iterator[Task],
        size: Size,
        evidence: Evidence | None,
        made: list[Record],
    ) -> bool:
        """Take what comes of the tasks; False if there is no time for all."""
        while not self.is_spent():
            returned = next(coming, None)
            if returned is None:
                return True
            for shown, task in zip(returned.shown, tasks, strict=False):
                made.append(self._take_one(script, shown, task, size, evidence))
            if returned.portion is not None:
                self._watch.join(returned.portion, self._baselines[script.name])
                self._runner.hear(returned.portion.said)
            if returned.error is not None:
                raise returned.error
        return False

    def _take_one(
        self, script: Script, shown: Shown, task: Task, size: Size, evidence: Evidence | None
    ) -> Record:
        self._tell_progress(size.level.k, size.left_to_do)
        counts = size.owns(task.parent.plan)
        record = self.take(shown, script, size.book, size.level, counts=counts)
        record.parent = task.parent.plan
        record.left = size.left[task.parent.plan]
        if evidence is not None:
            evidence.add(task, shown.look)
        record.inert = self._settings.reduce and is_inert(record, task.parent)
        return record

    def take(self, shown: Shown, script: Script, book: Book, level: Level, *, counts: bool = True) -> Record:
        """Count what a run showed, unless another shard does, and keep its record."""
        self._has_enough = self._has_enough or not self._enough.isdisjoint(shown.violated)
        book.add(shown.record)
        if not counts:
            self._for_others += 1
            return shown.record
        if level.k >= self._settings.faults:
            self._campaign.levels[-1].skipped += shown.extensions
        self._judge.count(shown, script, book, number=self._numbers.get(shown.record.plan, 0))
        level.run += 1
        return shown.record

    def _put_in_order(self, script: Script, tasks: list[Task]) -> None:
        """Where a budget may leave some of them out, put first what is likely to find something."""
        if self._settings.seconds_max is None and len(tasks) <= self._settings.runs_max - self._runs:
            return
        if script.name not in self._orders:
            self._orders[script.name] = Order(self._baselines[script.name])
        self._orders[script.name].sort(tasks, self._watch.facts.facts().undos)

    def _tell_progress(self, k: int, left: int) -> None:
        if self._on_progress is not None and self._runs % 50 == 0:
            self._on_progress(Progress(k, self._runs, left, len(self._judge.findings())))
