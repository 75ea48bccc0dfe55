"""What a saga draws at random is the same in each run, and real randomness is put back."""

from __future__ import annotations

import os
import random
import secrets
import uuid
from typing import Any

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import EMPTY
from sagaproof._model.script import OPAQUE
from sagaproof._run.randomness import Randomness
from sagaproof._run.runner import Runner
from sagaproof._taps.handle import WorldHandle


def drawn() -> tuple[Any, ...]:
    own = random.SystemRandom().random()
    return (uuid.uuid4(), secrets.token_hex(8), random.random(), random.randint(0, 10**9), own)


def test_each_run_draws_the_same_and_two_draws_differ() -> None:
    seen: list[tuple[Any, ...]] = []

    def body(_world: Any) -> None:
        seen.extend((drawn(), drawn()))

    with Runner(WorldHandle({}), CallableDriver(body)) as runner:
        runner.run(OPAQUE, EMPTY)
        runner.run(OPAQUE, EMPTY)

    assert seen[0:2] == seen[2:4]
    assert all(one != other for one, other in zip(seen[0], seen[1], strict=True))


def test_real_randomness_is_back_between_runs_and_afterwards() -> None:
    urandom = os.urandom
    with Randomness() as randomness:
        randomness.begin()
        same = uuid.uuid4()
        randomness.pause()
        assert uuid.uuid4() != same
        randomness.begin()
        assert uuid.uuid4() == same
    assert os.urandom is urandom
    assert random._urandom is urandom  # type: ignore[attr-defined]


def test_the_sequence_of_the_session_goes_on_undisturbed() -> None:
    random.seed(7)
    expected = [random.random() for _ in range(3)]
    random.seed(7)
    first = random.random()
    with Randomness() as randomness:
        randomness.begin()
        random.random()
    assert [first, random.random(), random.random()] == expected
