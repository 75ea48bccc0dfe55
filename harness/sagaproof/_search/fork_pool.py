"""Workers on this machine: forks of this process, which have the campaign with all that belongs to it."""

from __future__ import annotations

import multiprocessing
import signal
import warnings
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Any, Final

from sagaproof._search.crew import Batch
from sagaproof._search.hands import Worker
from sagaproof.errors import UsageError

__all__ = ["ForkPool"]

_TERMINATED: Final = -signal.SIGTERM
"""How the others end when one has died: nothing to tell of."""


class ForkPool:
    """A `ProcessPoolExecutor` of forks. Nothing has to be pickled but plans and what they showed."""

    def __init__(self, workers: int, worker: Worker) -> None:
        if "fork" not in multiprocessing.get_all_start_methods():
            raise UsageError(
                f"workers={workers}: this platform has no fork", advice="Use one, or shards (--saga-shard)."
            )
        self.workers = workers
        self._worker = worker
        self._executor = self._begin()
        self._processes: list[Any] = []

    def _begin(self) -> ProcessPoolExecutor:
        fork = multiprocessing.get_context("fork")
        return ProcessPoolExecutor(self.workers, fork, initializer=_begin, initargs=(self._worker,))

    def submit(self, work: str, script: str, batch: Batch) -> Future[Any]:
        """Have it done by the next worker that is free."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the threads of this process are left behind
            future = self._executor.submit(_do, work, script, batch)
        self._processes = [*self._of_executor().values()] or self._processes
        return future

    def result(self, future: Future[Any]) -> Any:
        """Wait for it."""
        return future.result()

    def renew(self, _error: BrokenExecutor) -> str:
        """Fork new workers; says how the others died."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        codes = [process.exitcode for process in self._processes]
        self._executor = self._begin()
        told = [
            f"worker {number} of {self.workers} {_how(code)}"
            for number, code in enumerate(codes, start=1)
            if code and code != _TERMINATED
        ]
        return " and ".join(told) or "a worker died"

    def close(self) -> None:
        """End them; one that is at work is killed."""
        for process in self._of_executor().values():
            process.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _of_executor(self) -> dict[int, Any]:
        """Its processes, which it does not show; it has none once it is broken."""
        return getattr(self._executor, "_processes", None) or {}


def _how(code: int) -> str:
    if code > 0:
        return f"ended with exit code {code}"
    try:
        return f"died of {signal.Signals(-code).name}"
    except ValueError:
        return f"died of signal {-code}"


_here: list[Worker] = []


def _begin(worker: Worker) -> None:
    """A worker begins: Ctrl-C is for the process that it was forked from."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here[:] = [worker]
    worker.runner.begin_in_fork()


def _do(work: str, script: str, batch: Batch) -> Any:
    return getattr(_here[0], work)(script, batch)
