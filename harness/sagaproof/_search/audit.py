"""Auditing what was left out: a share of it is run all the same, beside what was run instead."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from sagaproof._model.plan import Injection, Plan
from sagaproof._search.campaign import Level
from sagaproof._search.carried import Carried
from sagaproof._search.comparison import Pair
from sagaproof._search.record import Record
from sagaproof._search.reduce import LeftOut, left_out

__all__ = ["Ask", "Audit"]

Ask: TypeAlias = Callable[[Pair], bool | None]
"""Whether a pair shows the same; None if its second plan never came to its points."""


class Audit(NamedTuple):
    """Audits one size of plan of one script; `spent` says that there is no time.

    `prepare` is told all pairs that may be asked for, in their order, before the first is: what it returns is
    asked. What was wrong is told in `notes`, and what was tried is counted in `level`.
    """

    prepare: Callable[[Sequence[Pair]], Ask]
    level: Level
    notes: list[str]
    spent: Callable[[], bool]
    chance: random.Random
    share: float

    def stand_ins(self, parents: Sequence[Record]) -> list[Record]:
        """The records for which another one stood (R1, R2) and was wrong: they stand for themselves now."""
        chosen = [(entry, _pairs(entry)) for entry in left_out(parents, self.chance, self.share)]
        ask = self.prepare([pair for _, pairs in chosen for pair in pairs])
        wrong = [entry for entry, pairs in chosen if not all(self._agrees(ask, pair) for pair in pairs)]
        for record, representative, _ in wrong:
            representative.stands_for.remove(record)
            self._tell(record.plan, representative.plan, "switched off there")
        return [entry.record for entry in wrong]

    def inert(self, records: Sequence[Record]) -> None:
        """Mark those as not inert (R4) that go on otherwise than their parents do."""
        chosen = [(record, self._with_less(record)) for record in records]
        ask = self.prepare([pair for _, pairs in chosen for pair in pairs])
        for record, pairs in chosen:
            if not all(self._agrees(ask, pair) for pair in pairs):
                record.inert = False
                assert record.parent is not None
                self._tell(record.plan, record.parent, "switched off there")

    def _with_less(self, record: Record) -> list[Pair]:
        """A sample of what extends an inert record, each beside the same without the inert fault."""
        assert record.parent is not None
        sample = [one for one in record.extensions if self.chance.random() < self.share]
        return [Pair(record.parent.plus(one), record.plan.plus(one), less=True) for one in sample]

    def carried(self, left: Sequence[Carried]) -> set[Injection]:
        """The faults that were taken for others (R5) and do not look like them everywhere."""
        wrong: set[Injection] = set()
        chosen = [entry for entry in left if self.chance.random() < self.share]
        pairs = [Pair(instead.plan, task.plan, crashed=True) for task, instead in chosen]
        ask = self.prepare(pairs)
        for (task, instead), pair in zip(chosen, pairs, strict=True):
            if task.injection not in wrong and not self._agrees(ask, pair):
                wrong.add(task.injection)
                self._tell(task.plan, instead.plan, f"switched off for {task.injection}")
        return wrong

    def _tell(self, plan: Plan, instead: Plan, what: str) -> None:
        self.notes.append(f"the reduction was wrong for '{plan}' (taken for '{instead}'): {what}")

    def _agrees(self, ask: Ask, pair: Pair) -> bool:
        """Whether a plan that was left out shows what another one did; so it is taken without time to try."""
        if self.spent():
            return True
        self.level.audited += 1
        same = bool(ask(pair))
        self.level.mismatched += not same
        return same


def _pairs(entry: LeftOut) -> list[Pair]:
    since = None if entry.record.crash_state is None else entry.record.restart
    representative, record = entry.representative.plan, entry.record.plan
    return [Pair(representative.plus(one), record.plus(other), since) for one, other in entry.audited]
