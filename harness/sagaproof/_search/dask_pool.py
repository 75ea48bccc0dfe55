"""Workers of a Dask cluster: the campaign goes to them pickled, and is set up once in each."""

from __future__ import annotations

import threading
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from sagaproof._search.crew import Batch, Lost
from sagaproof._search.settings import Settings
from sagaproof._search.station import Station
from sagaproof._search.subject import Subject
from sagaproof.errors import UsageError

try:
    import cloudpickle  # type: ignore[import-untyped]
    from distributed import Client, KilledWorker
except ImportError as error:
    raise UsageError(
        "distributed, which --saga-executor=dask://HOST:PORT needs, is not installed",
        advice='It is an extra: pip install "sagaproof[dask]".',
    ) from error

__all__ = ["DaskPool"]

_PATIENCE_S: Final = 10


class DaskPool:
    """The executor of a Dask client. A task may run twice: what comes of it is the same.

    Each worker has a process beside it that makes the runs. Dask runs again what a worker had in hand that
    died itself, and says nothing of it. Raises `UsageError` for an
    address that does not answer, and for a subject that cannot be pickled.
    """

    def __init__(self, url: str, subject: Subject, settings: Settings) -> None:
        self._payload = _pickled(subject, settings)
        self._key = sha256(self._payload).hexdigest()
        self._client = _client(url)
        self._executor = self._client.get_executor(pure=False)
        self.workers = max(1, self._count())

    def _count(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def submit(self, work: str, script: str, batch: Batch) -> Future[Any]:
        """Have it done by the next worker that is free."""
        future: Future[Any] = self._executor.submit(_do, self._key, self._payload, work, script, batch)
        return future

    def result(self, future: Future[Any]) -> Any:
        """Wait for it, for as long as there are workers."""
        while True:
            try:
                return future.result(timeout=_PATIENCE_S)
            except KilledWorker as error:
                raise Lost("several workers of the cluster died, the last one") from error
            except CancelledError as error:
                raise Lost("the connection to the cluster, or its last worker, was lost") from error
            except FutureTimeout:
                if not future.done() and not self._count():
                    raise Lost("no worker of the cluster is left: the last one died") from None

    def renew(self, error: BrokenExecutor) -> str:
        """The cluster looks after its workers."""
        return str(error)

    def close(self) -> None:
        """Leave the cluster; what is still under way there is given up."""
        self._executor.shutdown(wait=False)
        with suppress(OSError, TimeoutError):
            self._client.run(_end, self._key, on_error="ignore")
        self._client.close()


def _client(url: str) -> Any:
    parts = urlsplit(url)
    if parts.scheme != "dask" or not parts.netloc:
        raise UsageError(f"executor={url!r} is no cluster", advice="Write dask://HOST:PORT.")
    try:
        return Client(  # type: ignore[no-untyped-call]
            f"tcp://{parts.netloc}", timeout=_PATIENCE_S, set_as_default=False
        )
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {parts.netloc} ({type(error).__name__})",
            advice="Start one (dask scheduler), and workers (dask worker tcp://HOST:PORT --nthreads 1).",
        ) from error


def _pickled(subject: Subject, settings: Settings) -> bytes:
    try:
        payload: bytes = cloudpickle.dumps((subject, settings))
    except Exception as error:  # whatever the parts of somebody else's saga raise
        raise UsageError(
            f"{subject.name} cannot be sent to a cluster: {type(error).__name__}: {error}",
            advice="Give it nothing that holds a connection, a lock or a file; or use --saga-workers.",
        ) from error
    return payload


_lock = threading.Lock()
_stations: dict[str, Station] = {}


def _do(key: str, payload: bytes, work: str, script: str, batch: Batch) -> Any:
    """Do it beside this worker, one after the other; a station that ended is replaced by the next task."""
    with _lock:
        for other in _stations.keys() - {key}:
            _stations.pop(other).close()
        station = _stations.get(key) or Station(payload)
        _stations[key] = station
        try:
            return station.do(work, script, batch)
        except BrokenExecutor:
            _stations.pop(key, None)
            raise


def _end(key: str) -> None:
    """Let go of a campaign that is over."""
    station = _stations.pop(key, None)
    if station is not None:
        station.close()
