"""One machine at work: its runs, what it may draw, and what it has found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hypothesis import event, target

from sagaproof._machine.arms import bound
from sagaproof._machine.decisions import Decisions
from sagaproof._machine.draft import Draft
from sagaproof._machine.found import Found, Kind, kind_of
from sagaproof._machine.shrinking import shrunk
from sagaproof._machine.tables import Tables
from sagaproof._machine.trials import Trial, Trials
from sagaproof._machine.vocabulary import Vocabulary
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import Script, Turn

if TYPE_CHECKING:
    from sagaproof._machine.promotion import Promotion

__all__ = ["Session"]

_NAME: Final = "found"


@dataclass(slots=True)
class Session:
    """What all examples of one machine share. `tell` makes the report of what was found."""

    trials: Trials
    vocabulary: Vocabulary
    decisions: Decisions
    tell: Callable[[Trial, Kind], str]
    tables: Tables = field(default_factory=Tables)
    found: dict[Kind, Trial] = field(default_factory=dict)
    passed_over: set[Kind] = field(default_factory=set)
    promoted: dict[str, tuple[Script, Plan]] = field(default_factory=dict)
    promotion: Promotion | None = None
    _texts: dict[Kind, str] = field(default_factory=dict)
    _cells: set[object] = field(default_factory=set)

    def was_cut_off(self) -> bool:
        """Whether an example is being torn down because drawing it was given up."""
        return sys.exc_info()[0] is not None

    @property
    def known(self) -> Sequence[Turn]:
        """The turns of the first of the known scripts."""
        scripts = self.vocabulary.scripts
        return scripts[0].calls if scripts else ()

    def take(self, draft: Draft) -> None:
        """Run a draft and judge it. Raises a `Found` if a check is violated."""
        script = draft.script(_NAME)
        self.tables.examples += 1
        for rule in draft.rules:
            self.tables.draw(rule)
        if not draft.calls:
            self.tables.empty += 1
            return
        trial = self._judged(script, draft)
        kind = kind_of(trial)
        if kind is not None and kind not in self.passed_over:
            raise kind.error(self._report(trial, kind))

    def judged_alone(self, history: History) -> Found | None:
        """Judge a run that was not drawn; what it fails with, if that is of a kind that is not known yet."""
        trial = self.trials.judged(history)
        self.trials.kept(trial)
        self.tables.take(trial, {}, 0)
        kind = kind_of(trial)
        if kind is None or kind in self.passed_over:
            return None
        self.passed_over.add(kind)
        return kind.error(self._report(trial, kind))

    def _judged(self, script: Script, draft: Draft) -> Trial:
        twin = self.trials.fault_free(script)
        trial = self.trials.judged(twin)
        if not trial.violated and draft.arms:
            history = bound(self.trials, script, draft.arms, twin)
            if history is not twin:
                trial = self.trials.judged(history)
        self.trials.kept(trial)
        self.tables.take(trial, draft.rule_of, len(draft.arms) - len(trial.plan))
        self._steer(trial)
        return trial

    def _steer(self, trial: Trial) -> None:
        """Tell Hypothesis, and whoever watches it, how far this example came."""
        for cell in trial.record.cells:
            event(f"{cell[0]}={cell[1]}")
            if cell not in self._cells:
                self._cells.add(cell)
                self.promoted.setdefault(repr(trial.script), (trial.script, trial.plan))
        if trial.history.undo_calls:
            target(float(len(trial.history.undo_calls)), label="undos")
            target(float(len(trial.history.residue)), label="residue")

    def _report(self, trial: Trial, kind: Kind) -> str:
        """The report of the smallest trial of a kind: made once, whichever example shows it."""
        if kind not in self.found:
            self.found[kind] = shrunk(self.trials, trial, lambda one: kind_of(one) == kind)
            self._texts[kind] = self.tell(self.found[kind], kind)
        return self._texts[kind]
