"""Threads, long sagas and many sagas: no call lost, no work that grows with what was done before."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from sagaproof.saga import Call, Outcome, Record, Retry, Runtime, SqliteJournal, Step, Superseded, Tool

if TYPE_CHECKING:
    from tests.saga.conftest import World


def counter(undone: list[int], call: Callable[[int], None] = lambda _number: None) -> Tool:
    def count(number: int, *, key: str) -> dict[str, str]:
        call(number)
        return {"id": key}

    def undo(step: Step) -> None:
        undone.append(step.args["number"])

    return Tool(count, cls=4, undo=undo, undo_by_key=True, ref="id", retry=Retry(1))


def test_the_calls_of_one_turn_run_at_the_same_time() -> None:
    meet = threading.Barrier(3, timeout=20)
    saga = Runtime(
        [counter([], lambda _number: _ignore(meet.wait()))], journal=SqliteJournal(":memory:")
    ).start("s")
    results = saga.call_all([Call("count", {"number": n}) for n in range(3)])
    assert all(result.ok for result in results)
    assert [step.args["number"] for step in saga.finish().steps] == [0, 1, 2]


def _ignore(_value: object) -> None: ...


def test_a_crash_in_one_call_of_a_turn_is_a_crash_of_the_turn(crash: type[BaseException]) -> None:
    def call(number: int) -> None:
        if number == 1:
            raise crash

    saga = Runtime([counter([], call)], journal=SqliteJournal(":memory:")).start("s")
    with pytest.raises(crash):
        saga.call_all([Call("count", {"number": n}) for n in range(3)])


def test_one_saga_can_be_used_from_many_threads_and_given_up_meanwhile() -> None:
    undone: list[int] = []
    done: list[int] = []
    saga = Runtime([counter(undone, done.append)], journal=SqliteJournal(":memory:")).start("s")

    def call(number: int) -> Outcome:
        if number == 60:
            saga.give_up()
        return saga.call("count", {"number": number}, call_id=f"c{number}").outcome

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(call, range(120)))
    assert sorted(undone) == sorted(done)
    assert [number for number, outcome in enumerate(outcomes) if outcome is Outcome.OK] == sorted(done)


def test_a_thousand_sagas_at_once() -> None:
    undone: list[int] = []
    journal = SqliteJournal(":memory:")
    runtime = Runtime([counter(undone)], journal=journal)
    sagas = [runtime.start(f"s{number}") for number in range(1000)]
    for number, saga in enumerate(sagas):
        assert saga.call("count", {"number": number}).ok
    assert len(journal.open_sagas()) == 1000
    assert {saga.give_up().status for saga in sagas[:500]} == {"compensated"}
    del runtime, sagas, saga  # as if the process had ended
    assert len(Runtime([counter(undone)], journal=journal).recover()) == 500
    assert undone == list(range(500))


class CountingJournal:
    """A list, which counts how often it is asked."""

    def __init__(self) -> None:
        self.rows: list[Record] = []
        self.reads = 0

    def append(self, saga: str, number: int, record: Record) -> None:
        if number != len(self.rows) + 1:
            raise Superseded(saga, number)
        self.rows.append(record)

    def read(self, _saga: str) -> list[Record]:
        self.reads += 1
        return list(self.rows)

    def open_sagas(self) -> list[str]:
        return ["s"]


def test_a_saga_of_a_thousand_steps_never_reads_its_journal_and_does_the_same_work_for_each_step() -> None:
    undone: list[int] = []
    journal = CountingJournal()
    saga = Runtime([counter(undone)], journal=journal).start("s")
    work = [_calls_of(lambda n=number: saga.call("count", {"number": n})) for number in range(1000)]  # type: ignore[misc]
    assert journal.reads == 0
    assert work[-1] <= work[1]
    saga.give_up()
    assert undone == list(range(1000))[::-1]
    assert journal.reads == 0


def _calls_of(work: Callable[[], object]) -> int:
    """How many Python functions a piece of work calls: a measure of work that no clock disturbs."""
    count = 0

    def seen(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_second_runner_of_one_saga_is_stopped_at_its_next_record(world: World) -> None:
    tools = [world.tool("a", 4, undo=world.undo_by_ref)]
    old = Runtime(tools, journal=world).start("order")
    (new,) = Runtime(tools, journal=world).recover()
    assert new.call("a", {"what": "a"}).ok
    with pytest.raises(Superseded):
        old.call("a", {"what": "b"}, call_id="other")
    assert len(world.effects) == 1


@pytest.mark.slow
def test_the_runtime_loads_no_tool_for_tests() -> None:
    script = (
        "import sys, sagaproof.saga\n"
        "unwanted = {'pytest', 'hypothesis', 'respx', 'coverage', 'faker', 'httpx'}\n"
        "own = {m for m in sys.modules if m.startswith('sagaproof.') and 'sagaproof.saga' not in m}\n"
        "loaded = own | unwanted & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
