"""DBOS is driven in its own threads and over its own database, and leaves nothing behind in this process."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("dbos", reason="needs dbos")

from dbos import DBOS

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.claim import Claim
from sagaproof._model.event import Called, Noted, Slept
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Limits, Runner
from sagaproof._taps.handle import WorldHandle
from sagaproof.engines import Dbos
from sagaproof.errors import UsageError

RunUnder = Callable[..., History]
TAPPED: list[Callable[..., Any]] = []
SEEN: list[Any] = []


@DBOS.step(retries_allowed=True, max_attempts=3, interval_seconds=60.0)
def buy_tea() -> str:
    return str(TAPPED[0](item="tea", key=f"{DBOS.workflow_id}-tea")["id"])


@DBOS.workflow()
def buy_and_wait() -> str:
    order = buy_tea()
    DBOS.sleep(3600)
    SEEN.append(order)
    return "completed"


@DBOS.workflow()
def draw() -> str:
    SEEN.append((str(uuid.uuid4()), random.random()))
    return "completed"


@DBOS.workflow()
def buy_for_ever() -> str:
    while True:
        TAPPED[0](item="tea", key=str(uuid.uuid4()))


@DBOS.workflow()
def fail() -> str:
    raise ValueError("there is no tea")


@pytest.fixture
def run(world: WorldHandle) -> Iterator[RunUnder]:
    """`run(workflow, plan)`: the history of a run of it in a world with a shop."""
    engine = Dbos()

    def run(workflow: Callable[..., Any], plan: str = "", **limits: Any) -> History:
        SEEN.clear()
        TAPPED[:] = [world.direct.shop.buy]
        driver = CallableDriver(lambda world: engine.run(world, workflow), engine.recover)
        with Runner(world, driver, limits=Limits(**limits)) as runner:
            return runner.run(OPAQUE, Plan.parse(plan))

    yield run
    world.close()


def records(history: History) -> list[tuple[str, bool]]:
    return [(str(event.point), event.kept) for event in history.events if isinstance(event, Noted)]


def test_each_write_of_dbos_is_a_point(run: RunUnder) -> None:
    history = run(buy_and_wait)
    assert records(history) == [("dbos.step.1", True), ("dbos.step.2", True), ("dbos.outcome.1", True)]


def test_two_runs_are_the_same(run: RunUnder) -> None:
    assert run(buy_and_wait).events == run(buy_and_wait).events


def test_what_a_workflow_draws_is_the_same_however_often_dbos_polls(run: RunUnder) -> None:
    run(draw)
    first = list(SEEN)
    run(draw)
    assert first == SEEN


def test_backoff_and_sleep_take_virtual_time_and_no_real_one(run: RunUnder) -> None:
    began = time.monotonic()
    history = run(buy_and_wait, "shop.buy.1=503/2")
    assert [event.seconds for event in history.events if isinstance(event, Slept)] == [60.0, 120.0, 3600.0]
    assert time.monotonic() - began < 60


def test_a_step_whose_result_is_written_is_not_run_again(run: RunUnder) -> None:
    history = run(buy_and_wait, "dbos.step.1=crash-after")
    assert len(history.calls) == 1
    assert (history.claim, SEEN) == (Claim.COMPLETED, ["o_1"])


def test_a_step_whose_result_is_not_written_is_run_again_under_the_same_key(run: RunUnder) -> None:
    history = run(buy_and_wait, "dbos.step.1=crash-before")
    keys = [event.key for event in history.events if isinstance(event, Called)]
    assert keys == ["buy_and_wait-tea"] * 2
    assert len(history.effects) == 1


def test_after_a_restart_the_rest_of_a_sleep_is_slept(run: RunUnder) -> None:
    history = run(buy_and_wait, "dbos.step.2=crash-after")
    slept = [event.seconds for event in history.events if isinstance(event, Slept)]
    assert slept == [pytest.approx(3599.0)]  # the restart took a second


def test_a_crash_after_the_outcome_is_written_leaves_nothing_to_do(run: RunUnder) -> None:
    history = run(buy_and_wait, "dbos.outcome.1=crash-after")
    assert history.claim is Claim.COMPLETED
    assert SEEN == ["o_1"]


def test_a_process_that_died_while_it_recovered_is_recovered(run: RunUnder) -> None:
    history = run(buy_and_wait, "dbos.step.1=crash-before,dbos.outcome.1@1=crash-before")
    assert (history.claim, len(history.effects)) == (Claim.COMPLETED, 1)


def test_dbos_waits_for_a_database_that_is_away_and_the_saga_learns_nothing_of_it(run: RunUnder) -> None:
    for fault in ("write-fails", "kept-but-error"):
        history = run(buy_and_wait, f"dbos.step.1={fault}")
        slept = [event.seconds for event in history.events if isinstance(event, Slept)]
        assert (history.claim, slept) == (Claim.COMPLETED, [1.0, 3600.0])


def test_a_process_that_waits_for_its_database_in_vain_is_started_anew(run: RunUnder) -> None:
    history = run(buy_and_wait, "dbos.step.1=disk-full")
    assert [kept for point, kept in records(history) if point.startswith("dbos.step")] == [False] * 4 + [
        True
    ] * 2
    assert (history.claim, len(history.effects)) == (Claim.COMPLETED, 1)


def test_a_workflow_that_buys_for_ever_is_stopped_also_where_it_was_recovered(run: RunUnder) -> None:
    for plan in ("", "shop.buy.1=crash-before"):
        history = run(buy_for_ever, plan, calls_max=20)
        assert history.ending.how == "hung"
        assert "more than 20 calls" in history.ending.where


def test_what_a_workflow_raises_is_raised_also_by_the_recovery(run: RunUnder) -> None:
    for plan in ("", "dbos.outcome.1=crash-before"):
        ending = run(fail, plan).ending
        assert (ending.claim, ending.errors[0].type) == (Claim.RAISED, "ValueError")


def test_a_process_that_died_before_any_workflow_has_nothing_to_recover(world: WorldHandle) -> None:
    engine = Dbos()

    def body(world: WorldHandle) -> Any:
        world.direct.shop.get_order(order="o_9")
        return engine.run(world, buy_and_wait)

    with Runner(world, CallableDriver(body, engine.recover)) as runner:
        history = runner.run(OPAQUE, Plan.parse("shop.get_order.1=crash-before"))
    world.close()
    assert (history.claim, len(history.calls)) == (Claim.REFUSED, 1)


def test_nothing_is_left_of_a_run(run: RunUnder) -> None:
    queue, database = sys.modules["dbos._queue"], sys.modules["dbos._sys_db"]
    before = set(threading.enumerate())
    run(buy_and_wait, "dbos.step.1=crash-before")
    assert set(threading.enumerate()) - before == set()
    assert (queue.random, database.time) == (random, time)


def test_a_dbos_that_is_there_already_is_not_taken(run: RunUnder) -> None:
    DBOS(config={"name": "mine", "system_database_url": "sqlite:///:memory:", "log_level": "CRITICAL"})
    try:
        with pytest.raises(UsageError, match="DBOS was launched already"):
            run(buy_and_wait)
    finally:
        DBOS.destroy()


def test_a_pause_is_refused_ahead_and_not_taken_for_a_step_that_failed(run: RunUnder) -> None:
    with pytest.raises(UsageError, match="a process with DBOS cannot stand still here"):
        run(buy_and_wait, "shop.buy.1=pause")


def test_without_the_extra_all_but_its_scenarios_works() -> None:
    code = """
import importlib.util
import sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "dbos" else found(name, package)
import sagaproof._search.scenario as scenario
scenario.find_spec = importlib.util.find_spec
from sagaproof._doors.cli import main
assert main(["list", "--json"]) == 0
print("code", main(["run", "order-dbos", "--json"]))
assert "dbos" not in sys.modules
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "order-dbos" in shown
    assert 'pip install \\"sagaproof[dbos]\\"' in shown
    assert shown.endswith("code 3\n")
