"""Workers as the hands of a campaign: batches go to an executor, and what comes of them is taken in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from itertools import islice
from math import ceil
from typing import Any, Final, Protocol, TypeAlias

from sagaproof._model.script import Script
from sagaproof._search.audit import Ask
from sagaproof._search.comparison import Pair
from sagaproof._search.hands import Compared, Here
from sagaproof._search.portion import Returned
from sagaproof._search.shown import Errand
from sagaproof.errors import WorkerDied

__all__ = ["Batch", "Crew", "Lost", "Pool"]

_BATCH_MAX: Final = 100
_BATCH_S: Final = 0.03
"""A batch is large enough if it has so many runs, or takes so long."""

_BATCHES: Final = 8
"""Into how many batches for each worker what is known to be due is cut, if they are large enough then."""

_AHEAD: Final = 2

Batch: TypeAlias = "Sequence[Errand] | Sequence[Pair]"


class Lost(Exception):
    """A pool has given a batch up, having tried it often enough; says how its workers ended."""


class Pool(Protocol):
    """An executor with workers that know the campaign."""

    workers: int

    def submit(self, work: str, script: str, batch: Batch) -> Future[Any]:
        """Have a worker do one of its methods, `run` or `compare`. Raises `BrokenExecutor` after a death."""

    def result(self, future: Future[Any]) -> Any:
        """What came of it. Raises `BrokenExecutor` after a death, `Lost` if it is not to be tried again."""

    def renew(self, error: BrokenExecutor) -> str:
        """Put workers in the place of those that died; returns what is known of their death."""

    def close(self) -> None:
        """End all workers, whatever they are at."""


class Crew:
    """Runs what is worth the way in workers of a pool, which `open_pool` makes when it is needed.

    The batch of a worker that died is run again, by itself, which `note` is told; one over which a second
    worker dies ends the campaign. Without `here`, nothing is run in this process.
    """

    def __init__(self, open_pool: Callable[[], Pool], here: Here | None, note: Callable[[str], None]) -> None:
        self._open_pool = open_pool
        self._here = here
        self._note = note
        self._pool: Pool | None = None
        self._large = 0

    def close(self) -> None:
        """End the workers. They begin anew if there is more to do."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def run(self, script: Script, errands: Sequence[Errand]) -> Generator[Returned, None, None]:
        """Run plans, the first ones here to see how long a run takes."""
        if self._here is not None and not self._large and errands:
            began = time.perf_counter()
            yield from self._here.run(script, errands[:1])
            self._large = min(_BATCH_MAX, ceil(_BATCH_S / max(time.perf_counter() - began, 1e-6)))
            errands = errands[1:]
        if self._here is not None and len(errands) < 2 * self._large:
            yield from self._here.run(script, errands)
            return
        for _, returned in self._in_order("run", script, errands):
            yield returned

    def prepare(self, script: Script, pairs: Sequence[Pair]) -> Ask:
        """Have pairs compared as soon as the first is asked for."""
        if self._here is not None and len(pairs) < max(1, self._large):
            return self._here.prepare(script, pairs)
        answers = self._answers(script, pairs)

        def ask(pair: Pair) -> bool | None:
            return next(alike for known, alike in answers if known is pair)

        return ask

    def _answers(self, script: Script, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, bool | None]]:
        compared: Compared
        for batch, compared in self._in_order("compare", script, pairs):
            yield from zip(batch, compared.alike, strict=False)
            if compared.error is not None:
                raise compared.error

    def _in_order(self, work: str, script: Script, items: Batch) -> Iterator[tuple[Any, Any]]:
        """Each batch with what came of it; some are under way ahead of what is asked for."""
        if self._pool is None:
            self._pool = self._open_pool()
        coming = iter(self._cut(items, self._pool.workers))
        ahead: deque[tuple[Batch, Future[Any]]] = deque()
        while True:
            for batch in islice(coming, self._pool.workers * _AHEAD - len(ahead)):
                ahead.append((batch, self._submit(work, script, batch)))
            if not ahead:
                return
            batch, future = ahead[0]
            try:
                done = self._pool.result(future)
            except BrokenExecutor as error:
                ahead = deque(self._again(work, script, ahead, error))
                continue
            except Lost as lost:
                raise _died(str(lost), script, batch) from lost
            ahead.popleft()
            yield batch, done

    def _cut(self, items: Batch, workers: int) -> list[Batch]:
        size = min(_BATCH_MAX, max(self._large, ceil(len(items) / (workers * _BATCHES)), 1))
        return [items[at : at + size] for at in range(0, len(items), size)]

    def _submit(self, work: str, script: Script, batch: Batch) -> Future[Any]:
        assert self._pool is not None
        try:
            return self._pool.submit(work, script.name, batch)
        except BrokenExecutor as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def _again(
        self, work: str, script: Script, ahead: deque[tuple[Batch, Future[Any]]], error: BrokenExecutor
    ) -> Iterator[tuple[Batch, Future[Any]]]:
        """Run again what was lost, each batch by itself, so that one that kills its worker is known by it."""
        assert self._pool is not None
        lost = [self._lost(future) is not None for _, future in ahead]
        self._note(f"{self._pool.renew(error)}: what it had in hand was run again")
        for (batch, future), is_lost in zip(ahead, lost, strict=True):
            again = self._submit(work, script, batch) if is_lost else future
            died = self._lost(again)
            if died is not None:
                raise self._killed(work, script, batch, died)
            yield batch, again

    def _lost(self, future: Future[Any]) -> BrokenExecutor | None:
        """The death of a worker over a batch, once that is over; whatever else ended it is raised later."""
        assert self._pool is not None
        try:
            self._pool.result(future)
        except BrokenExecutor as error:
            return error
        except Exception:  # noqa: BLE001  # as it says
            return None
        return None

    def _killed(self, work: str, script: Script, batch: Batch, error: BrokenExecutor) -> WorkerDied:
        """The error of a batch that has killed two workers: it names the plan that kills a third, if any."""
        assert self._pool is not None
        died = self._pool.renew(error)
        for at in range(len(batch)):
            one = batch[at : at + 1]
            again = self._lost(self._submit(work, script, one))
            if again is not None:
                return _died(self._pool.renew(again), script, one)
        return _died(died, script, batch)


def _died(how: str, script: Script, batch: Batch) -> WorkerDied:
    plans = [f"'{one.found if isinstance(one, Pair) else one.plan}'" for one in batch]
    return WorkerDied(
        f"{how} over the same runs as one before it",
        where=f"script {script.name}, plan {', '.join(plans)}",
        advice="Something ends the whole process there (os._exit, a signal, want of memory): "
        "replay that plan by itself to see it.",
    )
