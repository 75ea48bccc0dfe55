"""One size of plan of one script: what stands for what, and the counts of what is left out.

reachable = run + pruned + skipped, whatever cut the campaign short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sagaproof._model.plan import Injection, Plan
from sagaproof._model.point import PointClass
from sagaproof._search.campaign import Level, StandIn
from sagaproof._search.carried import Carried, Task
from sagaproof._search.judge import Judge
from sagaproof._search.record import Book, Record

__all__ = ["Ghost", "Size"]


class Ghost(NamedTuple):
    """A plan that would have been left out: it extends an inert one, and counts as what `plan` stands for."""

    parent: Plan
    injection: Injection
    share: int


class Size:
    """The plans that extend `parents`. Make it when it is settled which of those stand for others.

    `owns` says of a plan whether what extends it is counted here, or by another shard.
    """

    def __init__(
        self,
        level: Level,
        book: Book,
        judge: Judge,
        parents: Sequence[Record],
        owns: Callable[[Plan], bool],
    ) -> None:
        self.level = level
        self.owns = owns
        self.book = book
        self._judge = judge
        self._inert = [parent for parent in parents if parent.inert]
        self.parents = [parent for parent in parents if not parent.inert]
        self.left = {parent.plan: parent.weighed() for parent in self.parents}
        self._to_do = sum(len(parent.extensions) for parent in self.parents if owns(parent.plan))
        self._begun_at = level.run

    def count(self, ghosts: Sequence[Ghost]) -> list[Ghost]:
        """Count what is not extended here; return what follows of it for the next size.

        `ghosts` are those that followed of the size before.
        """
        for parent in filter(lambda parent: self.owns(parent.plan), self.parents):
            self._prune(self.left[parent.plan], len(parent.extensions))
            for record in parent.stands_for:
                self._judge.mark_pruned(record.cells, len(record.extensions))
        more = [ghost for one in ghosts for ghost in self._follow(one)]
        for record in self._inert:
            assert record.parent is not None
            if self.owns(record.parent):
                self._prune(Counter(record.left) + Counter({"R4": 1}), len(record.extensions))
                self._judge.mark_pruned(record.cells, len(record.extensions))
            more += [Ghost(record.parent, added, record.share) for added in record.extensions]
        return more

    def _follow(self, ghost: Ghost) -> list[Ghost]:
        """Count the extensions of a plan that would have been left out, by those of the plan like it."""
        like = self.book.run_for(ghost.parent.plus(ghost.injection))
        if like is None:
            self.level.bound = "lower"
            return []
        if self.owns(like.plan):
            self.level.prune("R4", ghost.share * len(like.extensions))
        return [Ghost(like.plan, added, ghost.share) for added in like.extensions]

    def _prune(self, left: Mapping[str, int], extensions: int) -> None:
        for rule, plans in left.items():
            self.level.prune(rule, plans * extensions)

    def carry(self, left: Sequence[Carried], script: str) -> None:
        """Count what was not run because of something alike (R5); without that, it counts as skipped."""
        for task, instead in left:
            record = self.book.by_plan.get(instead.plan)
            if record is None:
                continue
            record.left = Counter(record.left) + Counter(self.left[task.parent.plan]) + Counter({"R5": 1})
            self.book.instead[task.plan] = instead.plan
            if not self.owns(task.parent.plan):
                continue
            self._to_do -= 1
            self.level.prune("R5", 1)
            stand_in = StandIn(task.plan, script, "R5", instead.plan)
            self._judge.mark_pruned(self._cell(task, instead, record), 1, stand_in)

    def _cell(self, task: Task, instead: Task, record: Record) -> tuple[tuple[PointClass, str], ...]:
        """Where the fault that was not put would have been counted."""
        if task.injection.point != instead.injection.point:
            alone = self.book.by_plan.get(Plan.of(task.injection))
            return () if alone is None else alone.cells
        where = record.plan.index(instead.injection)
        return tuple((at, task.injection.fault) for at, _ in record.cells[where : where + 1])

    @property
    def left_to_do(self) -> int:
        """How many plans are neither run nor left out by now."""
        return self._to_do - (self.level.run - self._begun_at)

    def skip_the_rest(self) -> None:
        """Count that as skipped."""
        if self.left_to_do:
            self.level.skip(self.left_to_do)
