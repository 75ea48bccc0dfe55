"""Looking at histories while they are there: what each run showed, and what all of them have in common."""

from __future__ import annotations

from typing import Any

from sagaproof._model.history import History
from sagaproof._search.campaign import Campaign
from sagaproof._search.candidates import Candidates, cells_of
from sagaproof._search.comparison import restarts
from sagaproof._search.coverage import Coverage
from sagaproof._search.facts import FactBook
from sagaproof._search.judge import Judge
from sagaproof._search.portion import Portion
from sagaproof._search.record import Record
from sagaproof._search.reduce import as_evidence, look_of
from sagaproof._search.settings import Settings
from sagaproof._search.shown import Errand, Shown
from sagaproof._search.signature import signature
from sagaproof._search.subject import Subject

__all__ = ["Watch"]


class Watch:
    """Looks at the runs of a campaign, or of one batch of it: then `hand_over` gives what `join` takes in."""

    def __init__(self, subject: Subject, settings: Settings, judge: Judge | None = None) -> None:
        self._settings = settings
        if judge is None:
            judge = Judge(subject.checks, Campaign(subject.name, settings, ()), subject.sometimes)
        self.judge = judge
        self.facts = FactBook()
        self.coverage = Coverage()
        self.candidates = Candidates(
            settings, restarts=subject.driver.restarts, cancels=subject.driver.asynchronous
        )
        self._unjoined = judge.folds.hand_over()[1]
        self._histories: list[History] = []

    def look(self, history: History, errand: Errand) -> Shown:
        """What there is to know of a run once its history is gone."""
        if not history.plan:
            history.twin = history
        record, violated = self.judge.judge(history)
        record.added = errand.added
        record.cells = cells_of(history)
        extensions = self._extend(record, history)
        self.facts.add(history)
        self.coverage.add(history)
        self.judge.compare(history)
        return Shown(
            record,
            violated,
            _seems_inert(record, history),
            self.judge.met(history),
            extensions,
            as_evidence(history, record, extensions) if errand.evidence else None,
        )

    def _extend(self, record: Record, history: History) -> int:
        """Note how the plan can be extended, where the campaign goes on from it; returns how many ways."""
        if len(record.plan) >= self._settings.faults:
            return self.candidates.count(history)
        record.extensions = self.candidates.of(history)
        record.signature, record.whole = look_of(history, record), signature(history, whole=True)
        record.crash_state, record.restart = history.crash_state, restarts(history)
        return len(record.extensions)

    def keep(self, history: History) -> None:
        """Keep a history to be handed over, if a check asks for whole ones."""
        if self._unjoined:
            self._histories.append(history.bare())

    def hand_over(self, said: tuple[Any, ...]) -> Portion:
        """All that was gathered, with what the runner `said`."""
        folds, unjoined = self.judge.folds.hand_over()
        return Portion(
            self.facts,
            self.coverage,
            folds,
            unjoined | folds.keys(),
            self._histories,
            frozenset(self.candidates.met),
            self.candidates.excluded,
            self.judge.told,
            said,
        )

    def join(self, later: Portion, twin: History) -> None:
        """Take in what was gathered elsewhere over the runs that came next, which had this `twin`."""
        self.facts.join(later.facts)
        self.coverage.join(later.coverage)
        self.candidates.join(later.met, later.excluded)
        for text, once in later.told:
            self.judge.note_error(text, once)
        for history in later.histories:
            history.twin = twin
        self.judge.folds.join(later.folds, later.histories, later.going)


def _seems_inert(record: Record, history: History) -> bool:
    """Whether nobody but the fault's own call could tell this run from the fault-free one."""
    if record.signature is None or len(history.plan) != 1:
        return False
    twin = history.twin
    return twin is not None and signature(history) == signature(twin, faulted_in=history)
