"""Exploring a saga under test: every plan with no fault, one, two, ... within a budget.

Plans are extended canonically, so each reachable set of faults is made exactly once (exploration.md has the
proof in figures). Faults that look alike at a point are explored further through one of them; a seeded
audit runs a share of what was left out and switches the reduction off where it was wrong.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import takewhile

from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._run.unsteady import Unsteady
from sagaproof._search.audit import Audit
from sagaproof._search.baseline import not_green, raised, require_same
from sagaproof._search.campaign import Campaign, Level
from sagaproof._search.carried import Evidence, Task
from sagaproof._search.conclusion import Conclusion
from sagaproof._search.judge import Judge
from sagaproof._search.record import Book, Record
from sagaproof._search.reduce import group
from sagaproof._search.running import code_of, runner_of
from sagaproof._search.settings import Settings
from sagaproof._search.shown import Errand
from sagaproof._search.size import Ghost, Size
from sagaproof._search.subject import Subject
from sagaproof._search.sweep import Progress, Sweep
from sagaproof._search.watch import Watch
from sagaproof._search.workers import hands_for
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import SagaproofError

__all__ = ["Explorer", "explore", "replay"]


class Explorer:
    """Explores one subject with a runner that is already set up. Use `explore` once."""

    def __init__(
        self,
        subject: Subject,
        settings: Settings,
        runner: Runner,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        enough: frozenset[str] = frozenset(),
    ) -> None:
        self._subject = subject
        self._settings = settings
        self._runner = runner
        self.campaign = Campaign(subject.name, settings, tuple(s.name for s in subject.all_scripts()))
        beyond = Level(settings.faults + 1, bound="lower", attempted=False)
        self.campaign.levels = [*(Level(k) for k in range(settings.faults + 1)), beyond]
        self._judge = Judge(subject.checks, self.campaign, subject.sometimes)
        self._watch = Watch(subject, settings, self._judge)
        self._random = random.Random(settings.seed)  # noqa: S311  # a seeded sample, not a secret
        self._k = 0
        self._books: dict[str, Book] = {}
        self._evidence: dict[str, Evidence] = {}
        self._ghosts: dict[str, list[Ghost]] = {}
        self._baselines: dict[str, History] = {}
        self._hands = hands_for(subject, settings, runner, self._watch, self._baselines, self.campaign.notes)
        self._sweep = Sweep(
            self.campaign, self._watch, runner, self._hands, self._baselines, on_progress, enough
        )

    def explore(self) -> Campaign:
        """Run it all. What was found before an interruption or an error is in the campaign returned."""
        began = time.perf_counter()
        self._sweep.begin(began)
        try:
            for script in self._subject.all_scripts():
                self._open(script)
            for k in range(1, self._settings.faults + 1):
                self._k = k
                for script in self._subject.all_scripts():
                    self._explore_level(script, k)
        except KeyboardInterrupt:
            self.campaign.incomplete.append("interrupted")
            self._cut_short()
        except SagaproofError as error:
            self.campaign.errors.append(f"{error.slug}: {error}")
            self._cut_short()
        finally:
            self._hands.close()
        self._end().conclude()
        self.campaign.notes += self._runner.notes()
        self.campaign.seconds = time.perf_counter() - began
        return self.campaign

    def replay(self, script: Script, plan: Plan) -> Campaign:
        """One plan only: nothing is complete, but what it violates is a finding."""
        try:
            book = self._books[script.name] = Book()
            self._fault_free(script, book)
            with self._runner.aloud():
                history = self._runner.run(script, plan, self._baselines[script.name])
            if plan:
                self._sweep.take(self._watch.look(history, Errand(plan)), script, book, Level(len(plan)))
            self.campaign.replayed = history
        except SagaproofError as error:
            self.campaign.errors.append(f"{error.slug}: {error}")
        self._end().conclude_replay(plan)
        return self.campaign

    def _end(self) -> Conclusion:
        return Conclusion(
            self._subject, self._watch, self.campaign, self._runner, self._books, self._baselines
        )

    # One script -----------------------------------------------------------------------------------------

    def _open(self, script: Script) -> None:
        """Run a script without faults, unless another one does the same for as long as nothing crashes."""
        first = self._first_like(script)
        like = self._books.get(first)
        book = self._books[script.name] = Book(like)
        if like is None:
            book.parents = [[self._fault_free(script, book)]]
        else:
            self._baselines[script.name] = self._baselines[first]
            book.parents = [[]]

    def _first_like(self, script: Script) -> str:
        """The first script that differs only in what is done after a crash; empty if it is this one."""
        before = takewhile(lambda other: other.name != script.name, self._subject.all_scripts())
        return next((s.name for s in before if s.until_a_crash == script.until_a_crash), "")

    def _fault_free(self, script: Script, book: Book) -> Record:
        """The empty plan, twice: a difference is an error of the set-up, not of the saga."""
        with Unsteady() as unsteady:
            first = self._runner.run(script, EMPTY)
        history = self._runner.run(script, EMPTY)
        require_same(first, history)
        self.campaign.notes += [said for said in unsteady.notes() if said not in self.campaign.notes]
        if raised(history):
            self.campaign.incomplete.append(raised(history))
        elif not history.calls:
            self.campaign.incomplete.append(
                f"script {script.name!r} made no call that any tap saw: nothing was tested. "
                "Point the clients of the saga at the hosts of the world, or wrap its tools with world.tool"
            )
        elif not_green(history):
            self.campaign.notes.append(not_green(history))
        if self.campaign.baseline is None:
            self.campaign.baseline = history
        self._baselines[script.name] = history
        self._sweep.count_off([EMPTY])
        shown, counts = self._watch.look(history, Errand(EMPTY)), self._owner(script)(EMPTY)
        return self._sweep.take(shown, script, book, self.campaign.levels[0], counts=counts)

    def _explore_level(self, script: Script, k: int) -> None:
        """Run the plans with k faults but those that show nothing which another script has not shown."""
        book = self._books[script.name]
        parents = book.parents[k - 1]
        if book.like is not None:
            book.learn()
            parents = [*parents, *(p.until_a_crash() for p in book.like.parents[k - 1] if p.lives)]
        level = self.campaign.levels[k]
        if self.campaign.levels[k - 1].bound != "exact" and level.bound != "lower":
            level.bound = self.campaign.levels[k - 1].bound
        made = self._extend_all(script, parents, book, level)
        book.parents.append(group(made) if self._settings.reduce else made)

    def _extend_all(self, script: Script, parents: list[Record], book: Book, level: Level) -> list[Record]:
        """Run what extends these parents by one fault; the records are to be extended in their turn."""
        audit = self._audit(script, level)
        try:
            parents += audit.stand_ins(parents)
            audit.inert([parent for parent in parents if parent.inert])
        except (KeyboardInterrupt, SagaproofError):
            Size(level, book, self._judge, parents, self._owner(script)).skip_the_rest()
            raise
        size = Size(level, book, self._judge, parents, self._owner(script))
        self._ghosts[script.name] = size.count(self._ghosts.get(script.name, ()))
        try:
            return self._run_size(script, size, audit)
        finally:
            size.skip_the_rest()

    def _owner(self, script: Script) -> Callable[[Plan], bool]:
        """What says of a plan whether those that extend it are counted here, or by another shard."""
        shard = self._settings.shard
        return lambda parent: shard is None or shard.owns(script.name, parent)

    def _audit(self, script: Script, level: Level) -> Audit:
        level = level if self._owner(script)(EMPTY) else Level(level.k)  # each shard audits, one counts it
        return Audit(
            lambda pairs: self._hands.prepare(script, pairs),
            level,
            self.campaign.notes,
            self._sweep.is_spent,
            self._random,
            self._settings.audit,
        )

    def _run_size(self, script: Script, size: Size, audit: Audit) -> list[Record]:
        """First what shows which faults look alike at a point, then one of those that do."""
        if not self._settings.reduce:
            tasks = [Task(parent, added) for parent in size.parents for added in parent.extensions]
            return self._sweep.run(script, tasks, size)
        evidence = self._evidence.setdefault(script.name, Evidence())
        wanted = evidence.wanted(size.parents)
        made = self._sweep.run(script, wanted, size, evidence)
        evidence.forget()
        known = frozenset(task.plan for task in wanted)
        tasks, left = evidence.divide(size.parents, known)
        wrong = audit.carried(left)
        if wrong:
            evidence.differ(wrong)
            tasks, left = evidence.divide(size.parents, known)
        try:
            made += self._sweep.run(script, tasks, size)
        finally:
            size.carry(left, script.name)
        return made

    def _cut_short(self) -> None:
        """From where the campaign was cut off, there may be more plans than are known."""
        scripts = sum(1 for _ in self._subject.all_scripts())
        first = self._k if len(self._books) == scripts else 0
        for level in self.campaign.levels[first:]:
            level.bound = "lower"


def explore(
    subject: Subject,
    settings: Settings,
    world: WorldHandle | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    enough: frozenset[str] = frozenset(),
) -> Campaign:
    """Explore a subject from set-up to result; `world` is made from its systems unless given.

    It ends early with the first finding of a check named in `enough`; what is left then counts as skipped.
    """
    with runner_of(subject, settings, world) as runner:
        campaign = Explorer(subject, settings, runner, on_progress=on_progress, enough=enough).explore()
        campaign.code = code_of(runner)
        return campaign


def replay(
    subject: Subject, settings: Settings, plan: Plan, script: Script, world: WorldHandle | None = None
) -> Campaign:
    """Run one plan (and the fault-free run before it) and judge it: the campaign of a printed replay line."""
    with runner_of(subject, settings, world) as runner:
        return Explorer(subject, settings, runner).replay(script, plan)
