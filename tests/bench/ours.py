"""Whole runs of ours: a fresh world, eight calls, driven to rest, its history judged by every check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import httpx
from tests.bench.rounds import Once
from tests.bench.saga import in_world, over_http, set_up, systems

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import EMPTY
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign
from sagaproof._search.judge import Judge
from sagaproof._search.settings import Settings
from sagaproof._taps.handle import WorldHandle


@contextmanager
def over_httpx() -> Iterator[Once]:
    """The runs of a saga with an httpx client, as in production; the places of its calls are noted."""
    with httpx.Client() as client:

        def body(world: WorldHandle) -> None:
            set_up(world)
            over_http(client)

        with _runs(body) as once:
            yield once


def direct() -> AbstractContextManager[Once]:
    """The runs of a saga whose calls are Python calls."""
    return _runs(in_world)


@contextmanager
def judged() -> Iterator[Once]:
    """What every check together takes for the history of one run, from which nothing has been worked out."""
    judge = _judge()
    with Runner(WorldHandle(systems()), CallableDriver(in_world)) as runner:
        twin, history = runner.run(OPAQUE, EMPTY), runner.run(OPAQUE, EMPTY)

    def once() -> None:
        fresh = history.bare()
        fresh.twin = twin
        judge.judge(fresh)

    yield once


@contextmanager
def client_in_world() -> Iterator[Once]:
    """Making a client inside of a world, as sagas do in each run."""
    with Runner(WorldHandle(systems()), CallableDriver(lambda _: None)):
        yield lambda: httpx.Client().close()


@contextmanager
def _runs(body: Callable[[WorldHandle], None]) -> Iterator[Once]:
    judge = _judge()
    with Runner(WorldHandle(systems()), CallableDriver(body)) as runner:
        twin = runner.run(OPAQUE, EMPTY)

        def once() -> None:
            history = runner.run(OPAQUE, EMPTY, twin)
            record, violated = judge.judge(history)
            assert len(history.calls) == 8
            assert record.held, "no check was reached"
            assert not violated, violated

        yield once


def _judge() -> Judge:
    return Judge(checks(), Campaign("bench", Settings(), ("opaque",)))
