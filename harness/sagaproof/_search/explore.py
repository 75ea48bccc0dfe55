"""Exploring a saga under test: every plan with no fault, one, two, ... within a budget.

Plans are extended canonically, so each reachable set of faults is made exactly once (exploration.md has the
proof in figures). Faults that look alike at a point are explored further through one of them; a seeded
audit runs a share of what was left out and switches the reduction off where it was wrong.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from sagaproof._checks.protocol import RunCheck
from sagaproof._model.fault import FAULTS
from sagaproof._model.finding import Finding
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.point import Phase
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign, Level
from sagaproof._search.candidates import Candidates
from sagaproof._search.facts import FactBook
from sagaproof._search.judge import Judge
from sagaproof._search.record import Book, Record
from sagaproof._search.settings import Settings
from sagaproof._search.signature import signature
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import NotDeterministic, NotInjected, SagaproofError

__all__ = ["Explorer", "Progress", "explore", "replay"]


class Progress(NamedTuple):
    """How far a campaign is: runs made, runs known to be left at this size, findings so far."""

    k: int
    runs: int
    left: int
    findings: int


class _Stop(Exception):
    """The budget is used up."""


class Explorer:
    """Explores one subject with a runner that is already set up. Use `explore` once."""

    def __init__(
        self,
        subject: Subject,
        settings: Settings,
        runner: Runner,
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._subject = subject
        self._settings = settings
        self._runner = runner
        self._on_progress = on_progress
        self.campaign = Campaign(subject.name, settings, tuple(s.name for s in subject.all_scripts()))
        self._beyond = Level(settings.faults + 1, bound="lower", attempted=False)
        self.campaign.levels = [*(Level(k) for k in range(settings.faults + 1)), self._beyond]
        self._judge = Judge(subject.checks, self.campaign)
        self._facts = FactBook()
        self._candidates = Candidates(settings)
        self._random = random.Random(settings.seed)  # noqa: S311  # a seeded sample, not a secret
        self._deadline = float("inf")
        self._books: dict[str, Book] = {}
        self._baselines: dict[str, History] = {}

    def explore(self) -> Campaign:
        """Run it all. What was found before an interruption or an error is in the campaign that is returned."""
        began = time.perf_counter()
        if self._settings.seconds_max is not None:
            self._deadline = began + self._settings.seconds_max
        try:
            for script in self._subject.all_scripts():
                self._explore_script(script)
        except KeyboardInterrupt:
            self.campaign.incomplete.append("interrupted")
        except SagaproofError as error:
            self.campaign.errors.append(f"{error.slug}: {error}")
        self._conclude()
        self.campaign.notes += self._runner.notes()
        self.campaign.seconds = time.perf_counter() - began
        return self.campaign

    def replay(self, script: Script, plan: Plan) -> Campaign:
        """One plan only: nothing is complete, but what it violates is a finding."""
        try:
            book = self._books[script.name] = Book()
            self._fault_free(script, book)
            if plan:
                with self._runner.aloud():
                    history = self._runner.run(script, plan, self._baselines[script.name])
                self._take(history, book, Level(len(plan)))
        except SagaproofError as error:
            self.campaign.errors.append(f"{error.slug}: {error}")
        self.campaign.findings = self._judge.findings()
        self._illustrate_all()
        return self.campaign

    # One script -----------------------------------------------------------------------------------------

    def _explore_script(self, script: Script) -> None:
        book = self._books[script.name] = Book()
        parents = [self._fault_free(script, book)]
        for k in range(1, self._settings.faults + 1):
            parents = self._explore_level(script, k, parents, book)

    def _fault_free(self, script: Script, book: Book) -> Record:
        """The empty plan, twice: a difference is an error of the set-up, not of the saga."""
        first = self._runner.run(script, EMPTY)
        history = self._runner.run(script, EMPTY)
        _compare(first, history)
        if not history.calls:
            self.campaign.incomplete.append(
                f"script {script.name!r} made no call that any tap saw: nothing was tested. "
                "Point the clients of the saga at the hosts of the world, or wrap its tools with world.tool"
            )
        if self.campaign.baseline is None:
            self.campaign.baseline = history
        self._baselines[script.name] = history
        return self._take(history, book, self.campaign.levels[0])

    def _explore_level(self, script: Script, k: int, parents: list[Record], book: Book) -> list[Record]:
        level = self.campaign.levels[k]
        tasks = [(parent, injection) for parent in parents for injection in parent.extensions]
        if len(tasks) > self._settings.runs_max - self.campaign.runs:
            tasks.sort(key=self._priority(script))
        for parent in parents:
            level.pruned += len(parent.extensions) * len(parent.stands_for)
        if any(parent.stands_for for parent in parents):
            level.bound = "by_rule"
        made: list[Record] = []
        for done, (parent, injection) in enumerate(tasks):
            if self._spent():
                level.skipped += len(tasks) - done
                level.bound = "lower"
                break
            self._tell_progress(k, len(tasks) - done)
            try:
                made.append(self._run_one(script, parent, injection, book, level))
            except KeyboardInterrupt:
                level.skipped += len(tasks) - done
                level.bound = "lower"
                raise
        self._audit(script, parents, level, book)
        return self._group(made) if self._settings.reduce else made

    def _run_one(
        self, script: Script, parent: Record, injection: Injection, book: Book, level: Level
    ) -> Record:
        history = self._runner.run(script, parent.plan.plus(injection), self._baselines[script.name])
        record = self._take(history, book, level)
        record.parent, record.added = parent.plan, injection
        return record

    def _take(self, history: History, book: Book, level: Level) -> Record:
        """Judge a history, count it, keep its record."""
        if not history.plan:
            history.twin = history
        record, violated = self._judge.judge(history)
        if level.k < self._settings.faults:
            record.extensions = self._candidates.of(history)
            record.signature = (signature(history), record.violated)
        else:
            self._beyond.skipped += self._candidates.count(history)
        self._facts.add(history)
        inert = level.k == 1 and record.signature is not None and self._is_inert(record, book)
        self._judge.keep(history, record, violated, book, inert=inert)
        book.add(record)
        level.run += 1
        return record

    @staticmethod
    def _is_inert(record: Record, book: Book) -> bool:
        return record.signature == book.by_plan[EMPTY].signature

    # Reduction ------------------------------------------------------------------------------------------

    @staticmethod
    def _group(made: list[Record]) -> list[Record]:
        """Keep one record for each point and signature; it stands for the others (rule R1, a heuristic)."""
        first: dict[object, Record] = {}
        for record in made:
            known = first.setdefault((record.parent, _reach(record.added), record.signature), record)
            if known is not record:
                known.stands_for.append(record)
        return list(first.values())

    def _audit(self, script: Script, parents: list[Record], level: Level, book: Book) -> None:
        """Run a seeded share of the pruned plans and compare each with the one that stood for it."""
        for parent in parents:
            for twin in parent.stands_for:
                chosen = [i for i in parent.extensions if self._random.random() < self._settings.audit]
                if not all(self._agrees(script, parent, twin, injection, level) for injection in chosen):
                    self._unprune(script, parent, twin, level, book)

    def _agrees(
        self, script: Script, parent: Record, twin: Record, injection: Injection, level: Level
    ) -> bool:
        if self._spent():
            return True
        level.audited += 1
        baseline = self._baselines[script.name]
        expected = self._runner.run(script, parent.plan.plus(injection), baseline)
        try:
            found = self._runner.run(script, twin.plan.plus(injection), baseline)
        except NotInjected:
            level.mismatched += 1
            return False
        same = self._looks(expected) == self._looks(found)
        level.mismatched += not same
        return same

    def _looks(self, history: History) -> object:
        record, _ = self._judge.judge(history)
        return (signature(history), record.violated)

    def _unprune(self, script: Script, parent: Record, twin: Record, level: Level, book: Book) -> None:
        """The rule was wrong here: run what it left out, and say so."""
        self.campaign.notes.append(
            f"the reduction was wrong for '{twin.plan}' (taken for '{parent.plan}'): switched off there"
        )
        level.pruned -= len(parent.extensions)
        for injection in twin.extensions:
            if self._spent():
                level.skipped += 1
            else:
                self._run_one(script, twin, injection, book, level)

    # Budget and order -----------------------------------------------------------------------------------

    def _spent(self) -> bool:
        return self.campaign.runs >= self._settings.runs_max or time.perf_counter() > self._deadline

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
        campaign.findings = self._judge.findings()
        self._illustrate_all()
        for check in self._subject.checks:
            count = campaign.checks[check.slug]
            count.applies = check.applies(facts) or bool(count.held or count.violated)
            if count.applies and not count.held and not count.violated:
                self._note_unreached(check)
        skipped = sum(level.skipped for level in campaign.levels if level.attempted)
        if skipped:
            campaign.incomplete.append(f"{skipped} plans were skipped: the budget was used up")

    def _note_unreached(self, check: RunCheck) -> None:
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
        finding.twin = book.nearest_held(finding.plan, finding.check)
        if finding.twin is not None:
            finding.twin_history = self._runner.run(finding.script, finding.twin, baseline)


def _reach(added: Injection | None) -> object:
    """What two faults must share besides their looks: the point, when a late effect lands, and what lasts."""
    if added is None:
        return None
    fault = FAULTS[added.fault]
    return (added.point, fault.lands, fault.macro)


def _compare(first: History, second: History) -> None:
    """Raise `NotDeterministic` with the first event that differs."""
    pairs = zip(first.events, second.events, strict=False)
    for number, (one, other) in enumerate(pairs):
        if one != other:
            raise NotDeterministic(
                f"two runs without a fault differ at event {number}: {one} against {other}",
                advice="Inject clock, ids and randomness, or seed them in the test body.",
            )
    if len(first.events) != len(second.events):
        longer = max(first.events, second.events, key=len)
        extra = longer[min(len(first.events), len(second.events))]
        raise NotDeterministic(
            f"two runs without a fault differ: one goes on with {extra}",
            advice="Inject clock, ids and randomness, or seed them in the test body.",
        )


def explore(
    subject: Subject,
    settings: Settings,
    world: WorldHandle | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Campaign:
    """Explore a subject from set-up to result; `world` is made from its systems unless given."""
    with _runner(subject, settings, world) as runner:
        return Explorer(subject, settings, runner, on_progress=on_progress).explore()


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
