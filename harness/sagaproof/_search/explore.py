"""Exploring a saga under test: every plan with no fault, one, two, ... within a budget.

Plans are extended canonically, so each reachable set of faults is made exactly once (exploration.md has the
proof in figures). Faults that look alike at a point are explored further through one of them; a seeded
audit runs a share of what was left out and switches the reduction off where it was wrong.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any, NamedTuple

from sagaproof._checks.campaign_check import Check
from sagaproof._drivers.advice import advice_for
from sagaproof._model.finding import Finding
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.point import Phase
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._run.unsteady import Unsteady
from sagaproof._search.baseline import not_green, raised, require_same
from sagaproof._search.campaign import Campaign, Level
from sagaproof._search.candidates import Candidates
from sagaproof._search.coverage import Coverage
from sagaproof._search.facts import FactBook
from sagaproof._search.judge import Judge
from sagaproof._search.record import Book, Record
from sagaproof._search.reduce import LeftOut, group, left_out
from sagaproof._search.settings import Settings
from sagaproof._search.signature import certainty, signature, signature_since
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import NotInjected, SagaproofError

__all__ = ["Explorer", "Progress", "explore", "replay"]


class Progress(NamedTuple):
    """How far a campaign is: runs made, runs known to be left at this size, findings so far."""

    k: int
    runs: int
    left: int
    findings: int


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
        self._enough = enough
        self._has_enough = False
        self._settings = settings
        self._runner = runner
        self._on_progress = on_progress
        self.campaign = Campaign(subject.name, settings, tuple(s.name for s in subject.all_scripts()))
        self._beyond = Level(settings.faults + 1, bound="lower", attempted=False)
        self.campaign.levels = [*(Level(k) for k in range(settings.faults + 1)), self._beyond]
        self._judge = Judge(subject.checks, self.campaign, subject.sometimes)
        self._facts = FactBook()
        self._coverage = Coverage()
        self._candidates = Candidates(
            settings, restarts=subject.driver.restarts, cancels=subject.driver.asynchronous
        )
        self._random = random.Random(settings.seed)  # noqa: S311  # a seeded sample, not a secret
        self._deadline = float("inf")
        self._k = 0
        self._books: dict[str, Book] = {}
        self._baselines: dict[str, History] = {}

    def explore(self) -> Campaign:
        """Run it all. What was found before an interruption or an error is in the campaign returned."""
        began = time.perf_counter()
        if self._settings.seconds_max is not None:
            self._deadline = began + self._settings.seconds_max
        try:
            for script in self._subject.all_scripts():
                self._explore_script(script)
        except KeyboardInterrupt:
            self.campaign.incomplete.append("interrupted")
            self._cut_short()
        except SagaproofError as error:
            self.campaign.errors.append(f"{error.slug}: {error}")
            self._cut_short()
        self._conclude()
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
                self._take(history, book, Level(len(plan)))
            self.campaign.replayed = history
        except SagaproofError as error:
            self.campaign.errors.append(f"{error.slug}: {error}")
        self.campaign.findings = self._judge.findings()
        if plan and not self.campaign.findings:
            self.campaign.notes += filter(None, [self._judge.leaves_out()])
        self._illustrate_all()
        return self.campaign

    # One script -----------------------------------------------------------------------------------------

    def _explore_script(self, script: Script) -> None:
        """All plans of a script; those that show nothing which another script has not shown are left out."""
        self._k = 0
        first = self._first_like(script)
        like = self._books.get(first)
        book = self._books[script.name] = Book(like)
        if like is None:
            parents = [self._fault_free(script, book)]
        else:
            self._baselines[script.name] = self._baselines[first]
            parents = []
        book.parents = [parents]
        for k in range(1, self._settings.faults + 1):
            if like is not None:
                parents = [*parents, *(p.until_a_crash() for p in like.parents[k - 1] if p.lives)]
            parents = self._explore_level(script, k, parents, book)
            book.parents.append(parents)

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
        return self._take(history, book, self.campaign.levels[0])

    def _explore_level(self, script: Script, k: int, parents: list[Record], book: Book) -> list[Record]:
        """Run the plans with k faults; return the records that are to be extended."""
        self._k = k
        level = self.campaign.levels[k]
        try:
            parents = [*parents, *self._audit(script, parents, level)]
        except (KeyboardInterrupt, SagaproofError):
            level.skip(sum(len(parent.extensions) for parent in parents))
            raise
        self._count_pruned(parents, level)
        tasks = [(parent, injection) for parent in parents for injection in parent.extensions]
        if len(tasks) > self._settings.runs_max - self.campaign.runs:
            tasks.sort(key=self._priority(script))
        if self.campaign.levels[k - 1].bound == "lower":
            level.bound = "lower"
        made: list[Record] = []
        for done, (parent, injection) in enumerate(tasks):
            if self._spent():
                level.skip(len(tasks) - done)
                break
            self._tell_progress(k, len(tasks) - done)
            try:
                made.append(self._run_one(script, parent, injection, book, level))
            except (KeyboardInterrupt, SagaproofError):
                level.skip(len(tasks) - done)
                raise
        return group(made) if self._settings.reduce else made

    def _run_one(
        self, script: Script, parent: Record, injection: Injection, book: Book, level: Level
    ) -> Record:
        history = self._runner.run(script, parent.plan.plus(injection), self._baselines[script.name])
        record = self._take(history, book, level)
        record.parent, record.added, record.share = parent.plan, injection, parent.weight
        return record

    def _take(self, history: History, book: Book, level: Level) -> Record:
        """Judge a history, count it, keep its record."""
        if not history.plan:
            history.twin = history
        record, violated = self._judge.judge(history)
        self._has_enough = self._has_enough or not self._enough.isdisjoint(violated)
        if level.k < self._settings.faults:
            record.extensions = self._candidates.of(history)
            record.signature = (signature(history), record.violated, certainty(history))
            record.crash_state, record.restart = history.crash_state, len(record.crashes)
        else:
            self._beyond.skipped += self._candidates.count(history)
        self._facts.add(history)
        self._coverage.add(history)
        self._judge.keep(history, record, violated, book, inert=self._is_inert(record, history))
        book.add(record)
        level.run += 1
        return record

    def _is_inert(self, record: Record, history: History) -> bool:
        """Whether nobody but the fault's own call could tell this run from the fault-free one."""
        if record.signature is None or len(history.plan) != 1:
            return False
        twin = history.twin
        return twin is not None and signature(history) == signature(twin, faulted_in=history)

    # Reduction ------------------------------------------------------------------------------------------

    def _count_pruned(self, parents: list[Record], level: Level) -> None:
        """Count what is left out here, and what follows from what was left out before."""
        for parent in parents:
            if parent.weight > 1:
                level.pruned += len(parent.extensions) * (parent.weight - 1)
                level.bound = "by_rule" if level.bound == "exact" else level.bound
            for record in parent.stands_for:
                self._judge.mark_pruned(record, len(parent.extensions))

    def _audit(self, script: Script, parents: list[Record], level: Level) -> list[Record]:
        """Try a share of what is left out; return the records for which the rule was wrong."""
        wrong = [
            entry
            for entry in left_out(parents, self._random, self._settings.audit)
            if not all(self._agrees(script, entry, pair, level) for pair in entry.audited)
        ]
        for record, representative, _ in wrong:
            representative.stands_for.remove(record)
            self.campaign.notes.append(
                f"the reduction was wrong for '{record.plan}' (taken for '{representative.plan}'): "
                "switched off there"
            )
        return [entry.record for entry in wrong]

    def _agrees(
        self, script: Script, entry: LeftOut, pair: tuple[Injection, Injection], level: Level
    ) -> bool:
        """Whether a plan that was left out shows what its representative did."""
        if self._spent():
            return True
        level.audited += 1
        baseline = self._baselines[script.name]
        expected = self._runner.run(script, entry.representative.plan.plus(pair[0]), baseline)
        try:
            found = self._runner.run(script, entry.record.plan.plus(pair[1]), baseline)
        except NotInjected:
            level.mismatched += 1
            return False
        since = None if entry.record.crash_state is None else entry.record.restart
        same = self._looks(expected, since) == self._looks(found, since)
        level.mismatched += not same
        return same

    def _looks(self, history: History, since: int | None) -> object:
        record, _ = self._judge.judge(history)
        look = signature(history) if since is None else signature_since(history, since)
        return (look, record.violated)

    # Budget and order -----------------------------------------------------------------------------------

    def _spent(self) -> bool:
        return (
            self._has_enough
            or self.campaign.runs >= self._settings.runs_max
            or time.perf_counter() > self._deadline
        )

    def _cut_short(self) -> None:
        """From where the campaign was cut off, there may be more plans than are known."""
        scripts = sum(1 for _ in self._subject.all_scripts())
        first = self._k if len(self._books) == scripts else 0
        for level in self.campaign.levels[first:]:
            level.bound = "lower"

    def _priority(self, script: Script) -> Callable[[tuple[Record, Injection]], tuple[int, Plan]]:
        """Undos and calls for help first, then the rest in the order of the trace."""
        undos = {
            call.operation.full
            for call in self._baselines[script.name].calls
            if call.phase is not Phase.FORWARD
        } | set(self._facts.facts().undos)

        def rank(task: tuple[Record, Injection]) -> tuple[int, Plan]:
            parent, injection = task
            return (0 if injection.point.operation in undos else 1, parent.plan)

        return rank

    def _tell_progress(self, k: int, left: int) -> None:
        if self._on_progress is not None and self.campaign.runs % 50 == 0:
            self._on_progress(Progress(k, self.campaign.runs, left, len(self._judge.findings())))

    # The end --------------------------------------------------------------------------------------------

    def _conclude(self) -> None:
        campaign = self.campaign
        campaign.facts = facts = self._facts.facts()
        campaign.excluded = self._candidates.excluded
        self._judge.conclude(self._books, {script.name: script for script in self._subject.all_scripts()})
        campaign.findings = self._judge.findings()
        self._illustrate_all()
        campaign.notes += self._candidates.notes()
        campaign.notes += [f"advice: {said}" for said in advice_for(self._baselines.values())]
        for check in self._subject.checks:
            count = campaign.checks[check.slug]
            count.applies = self._judge.applies(check, facts) or bool(count.held or count.violated)
            if count.applies and not count.held and not count.violated:
                self._note_unreached(check)
        self._judge.conclude_sometimes(facts)
        skipped = sum(level.skipped for level in campaign.levels if level.attempted)
        if self._settings.faults and not skipped and not campaign.errors:
            self._note_untested(getattr(self._subject.driver, "tools", ()))
        if skipped:
            why = "it ended before them" if campaign.errors else "the budget was used up"
            campaign.incomplete.append(f"{skipped} plans were skipped: {why}")

    def _note_untested(self, tools: Iterable[Any]) -> None:
        """An undo that was declared and never run is a gap; that others are not known to work, a note."""
        self.campaign.incomplete += self._coverage.never_run(tools)
        notes = (self._coverage.never_taken_back(), self._coverage.never_called(tools))
        self.campaign.notes += filter(None, notes)

    def _note_unreached(self, check: Check) -> None:
        """A check that applies and was never reached is a gap, unless so few faults cannot reach it."""
        needed = getattr(check, "faults_needed", 1)
        if self._settings.faults < needed:
            self.campaign.notes.append(f"check {check.slug} is only reached with {needed} faults or more")
        else:
            self.campaign.incomplete.append(f"check {check.slug} applies and was never reached")

    def _illustrate_all(self) -> None:
        """Get the histories of the findings; one that does not come again keeps its words all the same."""
        for finding in self.campaign.findings:
            try:
                self._illustrate(finding)
            except SagaproofError as error:
                self.campaign.errors.append(f"{error.slug}: {error}")

    def _illustrate(self, finding: Finding) -> None:
        """Run the smallest plan and its passing twin once more, to have their histories."""
        book = self._books[finding.script.name]
        baseline = self._baselines[finding.script.name]
        finding.history = self._runner.run(finding.script, finding.plan, baseline)
        if finding.twin is None:
            finding.twin = book.nearest_held(finding.plan, finding.check)
        if finding.twin is not None:
            script = finding.twin_script or finding.script
            finding.twin_history = self._runner.run(script, finding.twin, self._baselines[script.name])


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
    with _runner(subject, settings, world) as runner:
        return Explorer(subject, settings, runner, on_progress=on_progress, enough=enough).explore()


def replay(
    subject: Subject, settings: Settings, plan: Plan, script: Script, world: WorldHandle | None = None
) -> Campaign:
    """Run one plan (and the fault-free run before it) and judge it: the campaign of a printed replay line."""
    with _runner(subject, settings, world) as runner:
        return Explorer(subject, settings, runner).replay(script, plan)


def _runner(subject: Subject, settings: Settings, world: WorldHandle | None) -> Runner:
    return Runner(
        WorldHandle(subject.systems) if world is None else world,
        subject.driver,
        claim=subject.claim,
        invariants=subject.invariants,
        limits=settings.limits,
        hosts=subject.hosts,
        allow_hosts=subject.allow_hosts,
    )
