"""Runs in which the process dies: after the fifth of eight calls, or again and again at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tests.bench.rounds import Once
from tests.bench.saga import set_up, systems

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.handle import WorldHandle

DEATHS = 10
PROCESSES = DEATHS + 2
"""In each run with real crashes: those that die, the one that goes on, and the one that looks at rest."""

_DEADLY = Plan.parse("billing.issue_credit.5=crash-after")
_LOOP = Plan.parse(",".join(f"billing.issue_credit.1:{n + 1}@{n}=crash-before" for n in range(DEATHS)))


def plain() -> AbstractContextManager[Once]:
    """No fault at all."""
    return _runs(EMPTY, _InMemory())


def simulated() -> AbstractContextManager[Once]:
    """The process dies of an exception; what it noted lives on in memory."""
    return _runs(_DEADLY, _InMemory())


def real() -> AbstractContextManager[Once]:
    """Process after process is killed at its first call, as fast as that goes; notes are in a file."""
    return _runs(_LOOP, _InFile(), real=True)


class _InMemory:
    """The numbers of the credits that were issued."""

    def begin(self, _world: WorldHandle) -> None:
        self._lines: list[str] = []

    def opened(self, _world: WorldHandle) -> tuple[Callable[[str], object], list[str]]:
        return self._lines.append, [*self._lines]


class _InFile(_InMemory):
    def opened(self, world: WorldHandle) -> tuple[Callable[[str], object], list[str]]:
        path = world.path / "notes"
        file = path.open("a+", buffering=1)
        file.seek(0)
        return lambda line: file.write(line + "\n"), file.read().split()


@contextmanager
def _runs(plan: Plan, notes: _InMemory, *, real: bool = False) -> Iterator[Once]:
    def body(world: WorldHandle) -> None:
        set_up(world)
        notes.begin(world)
        go_on(world)

    def go_on(world: WorldHandle) -> None:
        add, done = notes.opened(world)
        _issue(world, world.durable(add, name="notes.add"), done)

    with Runner(WorldHandle(systems()), CallableDriver(body, go_on), real=real) as runner:
        twin = runner.run(OPAQUE, EMPTY)

        def once() -> None:
            history = runner.run(OPAQUE, plan, twin)
            assert history.killed is real
            assert len(history.effects) == 8

        yield once
        runner.world.close()


def _issue(world: WorldHandle, note: Callable[[str], object], done: list[str]) -> None:
    """Issue the credits that are not noted yet; one without a note comes again under the same key."""
    for number in map(str, range(8)):
        if number not in done:
            key = f"credit-{number}"
            world.direct.billing.issue_credit(customer="cus_7", amount=1, reference=number, key=key)
            note(number)
