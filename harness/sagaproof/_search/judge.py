"""Judging a history by all checks, and keeping the counts, cells and findings that come of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sagaproof._checks.campaign_check import Check
from sagaproof._checks.protocol import NOT_REACHED, Facts, RunCheck, State, Verdict
from sagaproof._model.finding import Finding, FindingKey
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import Script
from sagaproof._search.campaign import Campaign, Cell, CheckCount
from sagaproof._search.candidates import classes_of
from sagaproof._search.folds import Folds, finding_over_runs
from sagaproof._search.reached import Reached
from sagaproof._search.record import Book, Record
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["Judge"]

_ERRORS_MAX = 20


class Judge:
    """Verdicts on the runs of one campaign."""

    def __init__(
        self, checks: Sequence[Check], campaign: Campaign, sometimes: Sequence[Sometimes] = ()
    ) -> None:
        self._checks = tuple(check for check in checks if isinstance(check, RunCheck))
        self._over_runs = frozenset(c.slug for c in checks if not isinstance(c, RunCheck))
        self._campaign = campaign
        self._folds = Folds(checks, self._note_broken)
        self._reached = Reached(sometimes, campaign.settings, self._note_error)
        self._findings: dict[FindingKey, Finding] = {}
        self._counts = {check.slug: CheckCount() for check in checks}
        campaign.checks = self._counts

    def judge(self, history: History) -> tuple[Record, dict[str, Verdict]]:
        """The record of a run and what was violated in it."""
        violated: dict[str, Verdict] = {}
        held: list[str] = []
        for check in self._checks:
            try:
                verdict = check.judge(history)
            except Exception as error:  # noqa: BLE001  # a check that breaks must not take the findings along
                self._note_broken(check, f"under plan '{history.plan}'", error)
                continue
            if verdict is NOT_REACHED:
                continue
            if verdict.state is State.VIOLATED:
                violated[check.slug] = verdict
            elif verdict.state is State.HELD:
                held.append(check.slug)
        return Record(history.plan, history.claim, frozenset(violated), frozenset(held)), violated

    def applies(self, check: Check, facts: Facts) -> bool:
        """Whether a check applies; one that breaks over the question does not."""
        try:
            return check.applies(facts)
        except Exception as error:  # noqa: BLE001  # as above
            self._note_broken(check, "when asked whether it applies", error)
            return False

    def _note_broken(self, check: Check, when: str, error: Exception) -> None:
        self._note_error(f"check {check.slug} broke {when}: {type(error).__name__}: {error}")

    def _note_error(self, text: str) -> None:
        if len(self._campaign.errors) < _ERRORS_MAX and text not in self._campaign.errors:
            self._campaign.errors.append(text)

    def keep(
        self, history: History, record: Record, violated: dict[str, Verdict], book: Book, *, inert: bool
    ) -> None:
        """Count a run: its verdicts, the cells of its faults, and the findings that no smaller plan shows."""
        self._folds.observe(history)
        self._reached.observe(history)
        for slug, count in self._counts.items():
            if slug in record.violated:
                count.violated += 1
            elif slug in record.held:
                count.held += 1
            elif slug not in self._over_runs:
                count.not_reached += 1
        if not history.plan and not violated:
            return
        classes = classes_of(history, history.plan)
        record.cells = tuple((where, i.fault) for where, i in zip(classes, history.plan, strict=True))
        self._mark_cells(record, bad=bool(violated), inert=inert)
        for slug, verdict in violated.items():
            if not book.shown_by_less(history.plan, slug):
                self._note(FindingKey(slug, classes, history.claim), history, verdict)

    def _mark_cells(self, record: Record, *, bad: bool, inert: bool) -> None:
        for at in record.cells:
            cell = self._campaign.cells.setdefault(at, Cell())
            cell.runs += 1
            cell.violated += bad
            cell.inert += inert

    def mark_pruned(self, record: Record, plans: int) -> None:
        """Count plans that were left out because another record stands for this one."""
        for at in record.cells:
            self._campaign.cells[at].pruned += plans

    def _note(self, key: FindingKey, history: History, verdict: Verdict) -> None:
        known = self._findings.get(key)
        if known is not None:
            known.plans += 1
            if _size(history.plan) >= _size(known.plan):
                return
        self._findings[key] = Finding(
            key,
            history.plan,
            history.script,
            verdict.claim,
            verdict.because,
            verdict.calls,
            plans=1 if known is None else known.plans,
        )

    def conclude(self, books: Mapping[str, Book], scripts: Mapping[str, Script]) -> None:
        """Count what the checks that compare runs come to; what they find is shown by one run, beside one."""
        for check, verdict in self._folds.conclude():
            self._counts[check.slug].add(verdict.state)
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
        self._campaign.incomplete.extend(self._reached.missed())
        self._campaign.notes.extend(self._reached.idle())

    def leaves_out(self) -> str:
        """What the replay of one plan says of the checks that compare runs; empty if there are none."""
        slugs = [check.slug for check in self._folds.checks]
        return f"runs are not compared in a replay: not judged by {', '.join(slugs)}" if slugs else ""

    def findings(self) -> list[Finding]:
        """All distinct findings, smallest plans first."""
        return sorted(self._findings.values(), key=lambda f: (_size(f.plan), f.check, str(f.key)))


def _size(plan: Plan) -> tuple[int, list[tuple[int, int, int]], Plan]:
    return (len(plan), [injection.cost for injection in plan], plan)
