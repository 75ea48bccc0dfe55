"""A saga has one runner: nobody takes it while that one lives and has time, and a late one is stopped."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sagaproof.saga import (
    ABSENT,
    CallableDesk,
    Leased,
    Record,
    Retry,
    Runtime,
    Saga,
    SagaMisuse,
    SqliteJournal,
    Step,
    Superseded,
    Tool,
)
from sagaproof.saga.lease_machine import ThisMachine
from sagaproof.saga.record import KINDS

LEASE_S = 60.0


@dataclass
class Machine:
    """A machine of which tests say what time it is and who is alive; `me` is the process that asks."""

    at: float = 1000.0
    me: str = "one"
    dead: set[str] = field(default_factory=set)

    def now(self) -> float:
        return self.at

    def process(self) -> str:
        return self.me

    def is_alive(self, process: str) -> bool:
        return process not in self.dead


@dataclass
class Bank:
    """What arrived, in order; `on` is called before that message is worked on, once."""

    arrived: list[str] = field(default_factory=list)
    on: dict[str, Callable[[], Any]] = field(default_factory=dict)

    def meet(self, message: str) -> None:
        self.on.pop(message, lambda: None)()
        self.arrived.append(message)

    def tools(self) -> list[Tool]:
        def credit(what: str, *, key: str) -> dict[str, str]:
            self.meet(f"credit {what}")
            return {"id": key}

        def reverse(step: Step) -> None:
            self.meet(f"reverse {step.args['what']}")

        def look(step: Step) -> Any:
            self.meet(f"look up {step.args['what']}")
            return ABSENT

        usual: dict[str, Any] = {"undo_by_key": True, "ref": "id", "retry": Retry(3, wait_s=0)}
        return [Tool(credit, cls=4, undo=reverse, lookup=look, **usual)]


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture(params=["memory", "file"])
def journal(request: pytest.FixtureRequest, machine: Machine, tmp_path: Path) -> Any:
    path = ":memory:" if request.param == "memory" else tmp_path / "sagas.db"
    with SqliteJournal(path, machine=machine) as journal:
        yield journal


Start = Callable[[str], Runtime]


@pytest.fixture
def process(machine: Machine, journal: SqliteJournal, bank: Bank) -> Start:
    """Be another process from here on, with a runtime of its own."""

    def process(name: str) -> Runtime:
        machine.me = name
        desk = CallableDesk(lambda _case, key: bank.meet(f"desk {key}"))
        return Runtime(
            bank.tools(), journal=journal, desk=desk, lease_s=LEASE_S, desk_retry=Retry(2, wait_s=0)
        )

    return process


def credit(saga: Saga, what: str = "a") -> Any:
    return saga.call("credit", {"what": what}, call_id=what)


def test_what_a_live_runner_holds_is_left_to_it(process: Start, bank: Bank, machine: Machine) -> None:
    saga = process("one").start("order")
    credit(saga)
    other = process("two")
    assert other.recover() == []
    with pytest.raises(Leased, match=r"'order' is held by another runner \(one\), for 60 s more"):
        other.resume("order")
    machine.me = "one"
    assert saga.give_up().status == "compensated"
    assert bank.arrived == ["credit a", "reverse a"]


def test_what_a_dead_runner_held_is_taken_at_once(process: Start, machine: Machine) -> None:
    credit(process("one").start("order"))
    machine.dead.add("one")
    (saga,) = process("two").recover()
    assert saga.give_up().status == "compensated"


def test_what_a_live_runner_has_let_run_out_is_taken(process: Start, machine: Machine) -> None:
    saga = process("one").start("order")
    machine.at += LEASE_S - 1
    assert process("two").recover() == []
    machine.at += 1
    assert [one.id for one in process("two").recover()] == [saga.id]


def test_each_write_and_each_call_renews_a_lease_of_which_half_is_over(
    process: Start, machine: Machine
) -> None:
    first = process("one")
    saga = first.start("order")
    for number in range(4):
        machine.at += LEASE_S * 0.6
        credit(saga, f"n{number}")
    machine.at += LEASE_S * 0.3
    assert process("two").recover() == []


def test_two_runtimes_of_one_process_do_not_take_each_others_sagas(process: Start) -> None:
    saga = process("one").start("order")
    other = process("one")
    assert other.recover() == []
    del saga  # nobody in this process can drive it any more
    assert len(other.recover()) == 1


def test_an_error_of_a_tool_keeps_no_saga_for_which_nobody_asks(process: Start, bank: Bank) -> None:
    gc.disable()  # what refers to itself in a circle would be found some time later
    try:
        bank.on = {"credit a": _raise_chained}
        credit(process("one").start("order"))
        assert len(process("one").recover()) == 1
    finally:
        gc.enable()


def _raise_chained() -> None:
    raise TimeoutError("no answer") from OSError("reset")


def test_a_runtime_that_is_closed_gives_its_sagas_back(process: Start) -> None:
    first = process("one")
    saga = first.start("order")
    first.close()
    (taken,) = process("two").recover()
    with pytest.raises(Leased):
        credit(saga)
    assert taken.give_up().status == "compensated"


def test_a_machine_that_was_started_again_holds_no_leases(process: Start, machine: Machine) -> None:
    process("one").start("order")
    machine.at = 5.0  # it counts from its start
    assert len(process("two").recover()) == 1


def pause(process: Start, machine: Machine) -> Callable[[], None]:
    """Stand still for longer than the lease, while another process takes all up and gives it up."""

    def take_up() -> None:
        for saga in process("two").recover():
            saga.give_up("the first runner is gone")

    def pause() -> None:
        me, machine.at = machine.me, machine.at + LEASE_S
        Context().run(take_up)  # another process knows nothing of the call that is being made here
        machine.me = me

    return pause


def test_one_that_wakes_is_stopped_before_it_sends_a_call(
    process: Start, machine: Machine, bank: Bank, journal: SqliteJournal
) -> None:
    saga = process("one").start("order")
    credit(saga)
    pause(process, machine)()
    with pytest.raises(Superseded, match="another runner drives the saga"):
        credit(saga, "b")
    assert bank.arrived == ["credit a", "reverse a"]
    assert journal.read("order")[-1].kind == "closed"


def test_one_that_wakes_between_two_attempts_makes_no_second(
    process: Start, machine: Machine, bank: Bank
) -> None:
    saga = process("one").start("order")

    def fail() -> None:
        pause(process, machine)()
        raise ConnectionRefusedError

    bank.on = {"credit a": fail}
    with pytest.raises(Superseded):
        credit(saga)
    assert bank.arrived == ["look up a", "reverse a"]


def test_one_that_wakes_within_its_unwind_sends_no_more_undos(
    process: Start, machine: Machine, bank: Bank
) -> None:
    saga = process("one").start("order")
    credit(saga, "a")
    credit(saga, "b")
    bank.on = {"reverse b": pause(process, machine)}
    with pytest.raises(Superseded):
        saga.give_up()
    assert bank.arrived == ["credit a", "credit b", "reverse b", "reverse a", "reverse b"]


def test_one_that_wakes_does_not_end_the_saga_and_tells_nobody(
    process: Start, machine: Machine, bank: Bank, journal: SqliteJournal
) -> None:
    saga = process("one").start("order")
    credit(saga)
    pause(process, machine)()
    before = (journal.read("order"), list(bank.arrived))
    for end in (saga.finish, saga.give_up):
        with pytest.raises(Superseded):
            end()
    assert (journal.read("order"), bank.arrived) == before


def test_a_lookup_is_not_asked_by_one_that_has_lost_the_saga(
    process: Start, machine: Machine, bank: Bank
) -> None:
    saga = process("one").start("order")

    def lose() -> None:
        pause(process, machine)()
        raise TimeoutError

    bank.on = {"credit a": lose}
    with pytest.raises(Superseded):
        credit(saga)
    assert bank.arrived.count("look up a") == 1, "by the second process alone"


@pytest.mark.parametrize("slept_s", [0.0, LEASE_S], ids=["taken-for-dead", "time-run-out"])
def test_an_older_epoch_is_refused_with_the_next_number_too(
    journal: SqliteJournal, machine: Machine, slept_s: float
) -> None:
    old = journal.begin("order", Record("started", {}), LEASE_S)
    machine.at += slept_s
    machine.dead.add("one")
    machine.me = "two"
    new = journal.claim("order", LEASE_S)
    assert new.epoch > old.epoch
    for kind in KINDS:
        with pytest.raises(Superseded):
            journal.append("order", 2, Record(kind, {}), old)
    assert len(journal.read("order")) == 1
    journal.append("order", 2, Record("note", {}), new)


def test_an_id_in_use_is_refused_whoever_holds_it(process: Start) -> None:
    saga = process("one").start("order")
    with pytest.raises(SagaMisuse, match="'order' already"):
        process("two").start("order")
    assert saga.finish().status == "completed"


def test_looking_at_a_saga_takes_it_from_nobody(process: Start) -> None:
    saga = process("one").start("order")
    seen = process("two").saga("order")
    assert seen.ending is None
    assert credit(saga).ok
    with pytest.raises(Leased):
        seen.give_up()


def test_a_write_is_one_transaction_also_with_a_lease(journal: SqliteJournal) -> None:
    statements: list[str] = []
    lease = journal.begin("order", Record("started", {}), LEASE_S)
    journal._connection.set_trace_callback(statements.append)
    journal.append("order", 2, Record("note", {}), lease)
    assert len({text for text in statements if not text.startswith("--")}) == 1


# --- what this machine knows --------------------------------------------------------------------------------


def test_this_process_is_alive_and_one_with_its_id_and_another_start_is_not() -> None:
    machine = ThisMachine()
    boot, namespace, pid, start = machine.process().split("/")
    assert machine.is_alive(machine.process())
    if start:
        assert not machine.is_alive(f"{boot}/{namespace}/{pid}/{int(start) - 1}")
    assert not machine.is_alive(f"another boot/{namespace}/{pid}/{start}")
    assert machine.is_alive(f"{boot}/pid:[1]/{pid}9/{start}"), "a container of which nothing can be seen"


def test_the_clock_of_leases_is_not_that_of_the_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = ThisMachine()
    before = machine.now()
    monkeypatch.setattr("time.time", lambda: 0.0)
    assert 0 <= machine.now() - before < 60
