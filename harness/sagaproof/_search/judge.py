"""Judging a history by all checks, and keeping the counts, cells and findings that come of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sagaproof._checks.campaign_check import Check
from sagaproof._checks.damage import is_excused
from sagaproof._checks.protocol import NOT_REACHED, Facts, RunCheck, State, Verdict, verdict_of
from sagaproof._model.finding import Finding, FindingKey
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.point import PointClass
from sagaproof._model.script import Script
from sagaproof._search.campaign import Campaign, Cell, CheckCount, StandIn
from sagaproof._search.candidates import cells_of
from sagaproof._search.folds import Folds, finding_over_runs
from sagaproof._search.reached import Reached
from sagaproof._search.record import Book, Record
from sagaproof._search.shown import Shown
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["Judge", "plan_size"]

_ERRORS_MAX = 1000  # so that they can be counted; told are those that differ


class Judge:
    """Verdicts on the runs of one campaign."""

    def __init__(
        self, checks: Sequence[Check], campaign: Campaign, sometimes: Sequence[Sometimes] = ()
    ) -> None:
        self._checks = tuple(check for check in checks if isinstance(check, RunCheck))
        self._over_runs = frozenset(c.slug for c in checks if not isinstance(c, RunCheck))
        self._campaign = campaign
        self.told: list[tuple[str, str]] = []
        self._broken: set[str] = set()
        self._sets: dict[frozenset[str], frozenset[str]] = {}
        self.folds = Folds(checks, self._note_fold)
        self._reached = Reached(sometimes, campaign.settings, self.note_error)
        self._findings: dict[FindingKey, Finding] = {}
        self._counts = {check.slug: CheckCount() for check in checks}
        campaign.checks = self._counts

    def judge(self, history: History) -> tuple[Record, dict[str, Verdict]]:
        """The record of a run and what was violated in it."""
        violated: dict[str, Verdict] = {}
        held: list[str] = []
        for check in self._checks:
            try:
                verdict = verdict_of(check.judge(history))
            except Exception as error:  # noqa: BLE001  # a check that breaks must not take the findings along
                self._note_broken(check, f"under plan '{history.plan}'", error)
                continue
            if verdict is NOT_REACHED or _proves_nothing(history, check, verdict):
                continue
            if verdict.state is State.VIOLATED:
                violated[check.slug] = verdict
            elif verdict.state is State.HELD:
                held.append(check.slug)
        return Record(history.plan, history.claim, self._same(violated), self._same(held)), violated

    def _same(self, slugs: Iterable[str]) -> frozenset[str]:
        """One set for all runs with these checks: most runs have one of a few."""
        made = frozenset(slugs)
        return self._sets.setdefault(made, made)

    def applies(self, check: Check, facts: Facts) -> bool:
        """Whether a check applies; one that breaks over the question does not."""
        try:
            return check.applies(facts)
        except Exception as error:  # noqa: BLE001  # as above
            self._note_broken(check, "when asked whether it applies", error)
            return False

    def _note_broken(self, check: Check, when: str, error: Exception) -> None:
        self.note_error(_broken(check, when, error))

    def _note_fold(self, check: Check, when: str, error: Exception) -> None:
        self.note_error(_broken(check, when, error), f"over runs {check.slug}")

    def note_error(self, text: str, once: str = "") -> None:
        """Keep what broke as an error of the campaign; what is told only `once` breaks for good."""
        if once and once in self._broken:
            return
        self._broken.update((once,) if once else ())
        if len(self._campaign.errors) < _ERRORS_MAX and text not in self._campaign.errors:
            self._campaign.errors.append(text)
            self.told.append((text, once))

    def keep(
        self, history: History, record: Record, violated: dict[str, Verdict], book: Book, *, inert: bool
    ) -> None:
        """Count a run: its verdicts, the cells of its faults, and the findings that no smaller plan shows."""
        self.compare(history)
        record.cells = cells_of(history)
        self.count(Shown(record, violated, inert, self.met(history)), history.script, book)

    def compare(self, history: History) -> None:
        """Have the checks that compare runs take it in."""
        self.folds.observe(history)

    def met(self, history: History) -> tuple[int, ...]:
        """How many stages of each sometimes property it has met."""
        return self._reached.met(history)

    def count(self, shown: Shown, script: Script, book: Book, *, number: int = 0) -> None:
        """Count what the `number`-th run showed, and keep the findings that no smaller plan shows."""
        record = shown.record
        self._reached.count(shown.met, (script.name, record.plan), number)
        for slug, count in self._counts.items():
            if slug in record.violated:
                count.violated += 1
            elif slug in record.held:
                count.held += 1
            elif slug not in self._over_runs:
                count.not_reached += 1
        self._mark_cells(record, script.name, bad=bool(shown.violated), inert=shown.inert)
        for slug, verdict in shown.violated.items():
            if not book.shown_by_less(record.plan, slug):
                self._note(slug, shown.record, script, verdict)

    def _mark_cells(self, record: Record, script: str, *, bad: bool, inert: bool) -> None:
        for at in record.cells:
            cell = self._campaign.cells.setdefault(at, Cell())
            cell.runs += 1
            cell.violated += bad
            cell.inert += inert
            if cell.ran is None or _is_smaller(record.plan, cell.ran[1]):
                cell.ran = (script, record.plan)
            if bad and (cell.broke is None or _is_smaller(record.plan, cell.broke[1])):
                cell.broke = (script, record.plan)

    def mark_pruned(
        self, cells: Iterable[tuple[PointClass, str]], plans: int, stand_in: StandIn | None = None
    ) -> None:
        """Count plans of these cells that were left out because another one stands for them."""
        for at in cells:
            cell = self._campaign.cells.setdefault(at, Cell())
            cell.pruned += plans
            known = cell.stand_in
            if stand_in is not None and (known is None or _is_smaller(stand_in.plan, known.plan)):
                cell.stand_in = stand_in

    def _note(self, slug: str, record: Record, script: Script, verdict: Verdict) -> None:
        key = FindingKey(slug, tuple(where for where, _ in record.cells), record.claim)
        known = self._findings.get(key)
        if known is not None:
            known.plans += 1
            if plan_size(record.plan) >= plan_size(known.plan):
                return
        self._findings[key] = Finding(
            key,
            record.plan,
            script,
            verdict.claim,
            verdict.because,
            verdict.calls,
            plans=1 if known is None else known.plans,
        )

    def conclude(self, books: Mapping[str, Book], scripts: Mapping[str, Script]) -> None:
        """Count what the checks that compare runs come to; what they find is shown by one run, beside one."""
        for check, verdict in self.folds.conclude():
            self._counts[check.slug].add(verdict.state)
            self._counts[check.slug].over_runs = verdict.state
            if verdict.state is not State.VIOLATED:
                continue
            try:
                finding = finding_over_runs(check.slug, verdict, books, scripts)
            except (LookupError, TypeError, ValueError) as error:
                self._note_broken(check, "at the end: it names a run that was not made", error)
            else:
                self._findings.setdefault(finding.key, finding)

    def conclude_sometimes(self, facts: Facts) -> None:
        """Count what was reached at least once; without what is required, the campaign is incomplete."""
        self._campaign.sometimes = self._reached.conclude(facts)
        for gap in (*self._reached.missed(), *self._reached.idle()):
            self._campaign.miss(gap)

    def leaves_out(self) -> str:
        """What the replay of one plan says of the checks that compare runs; empty if there are none."""
        slugs = [check.slug for check in self.folds.checks]
        return f"runs are not compared in a replay: not judged by {', '.join(slugs)}" if slugs else ""

    def findings(self) -> list[Finding]:
        """All distinct findings, smallest plans first."""
        return sorted(self._findings.values(), key=lambda f: (plan_size(f.plan), f.check, str(f.key)))


def _broken(check: Check, when: str, error: Exception) -> str:
    return f"check {check.slug} broke {when}: {type(error).__name__}: {error}"


def _proves_nothing(history: History, check: Check, verdict: Verdict) -> bool:
    """Whether what was violated is the environment's: nobody could know of it, or whoever could was told."""
    return verdict.state is State.VIOLATED and is_excused(history, check.slug, verdict)


def _is_smaller(plan: Plan, known: Plan) -> bool:
    return len(plan) < len(known) or (len(plan) == len(known) and plan_size(plan) < plan_size(known))


def plan_size(plan: Plan) -> tuple[int, list[tuple[int, int, int]], Plan]:
    """Orders plans by how much there is to them: fewer, simpler, shorter faults first."""
    return (len(plan), [injection.cost for injection in plan], plan)
