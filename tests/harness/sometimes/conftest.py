"""One run of a bundled scenario under a plan."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._run.runner import Runner
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle

Ran = Callable[..., History]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The sagas of some scenarios log what goes wrong with them."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def subject() -> Callable[[str], Subject]:
    """`subject(name)`: the subject of a bundled scenario, made once."""
    known: dict[str, Subject] = {}

    def subject(name: str) -> Subject:
        if name not in known:
            known[name] = subject_of_scenario(scenario(name))
        return known[name]

    return subject


@pytest.fixture
def ran(subject: Callable[[str], Subject]) -> Ran:
    """`ran(scenario, plan, script)`: the history of that run, beside its fault-free twin."""

    def ran(name: str, plan: str = "", script: str | None = None) -> History:
        one = subject(name)
        chosen = next(each for each in one.all_scripts() if script in {None, each.name})
        with Runner(WorldHandle(one.systems), one.driver, claim=one.claim, hosts=one.hosts) as runner:
            twin = runner.run(chosen, EMPTY)
            twin.twin = twin
            return runner.run(chosen, Plan.parse(plan), twin) if plan else twin

    return ran
