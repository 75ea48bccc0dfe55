"""The journal of the runtime loses nothing with the power that it had said it kept; sagas end right."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from sagaproof.saga import ABSENT, Case, Found, Record, Retry, Runtime, Status, Step, Tool

if TYPE_CHECKING:
    from tests.saga.power.conftest import Machine

pytestmark = pytest.mark.slow

LOSSES = 1_000
STEPS = ("credit", "booking", "letter")


class What(BaseModel):
    """The arguments of all tools here."""

    what: str


@dataclass
class Service:
    """Somewhere else, with power of its own: each effect by its key, done once, taken back once, or fenced.

    `works` is asked before each message, for who is without power sends none.
    """

    works: Callable[[], None]
    effects: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    fenced: set[str] = field(default_factory=set)
    cases: dict[str, Case] = field(default_factory=dict)

    def do(self, key: str) -> dict[str, str]:
        """Do it, if it is not done and not fenced."""
        self.works()
        assert key not in self.fenced
        self.effects.add(key)
        return {"id": key}

    def undo(self, step: Step, *, key: str) -> None:
        """Take back what came under the key of the step; the undo has one of its own."""
        self.works()
        assert key == step.undo_key
        self.undone.add(step.key)

    def lookup(self, step: Step) -> Any:
        """Say what came under a key."""
        self.works()
        return Found({"id": step.key}) if step.key in self.effects else ABSENT

    def fence(self, step: Step) -> Any:
        """Say it, and let nothing come any more."""
        found = self.lookup(step)
        if found is ABSENT:
            self.fenced.add(step.key)
        return None if found is ABSENT else found

    def open(self, case: Case, key: str) -> str:
        """Tell a person, once for a key."""
        self.works()
        self.cases.setdefault(key, case)
        return key

    def standing(self) -> list[str]:
        """The keys of what is done and not taken back."""
        return sorted(self.effects - self.undone)


def runtime(machine: Machine, service: Service) -> Runtime:
    """The runtime of one process."""

    def tool(name: str) -> Tool:
        def call(what: str, *, key: str) -> Any:
            assert what == name
            return service.do(key)

        return Tool(
            call, cls=4, name=name, schema=What, ref="id", retry=Retry(1, wait_s=0),
            undo=service.undo, lookup=service.lookup, fence=service.fence,
        )  # fmt: skip

    return Runtime(map(tool, STEPS), journal=machine.journal, desk=service, desk_retry=Retry(1, wait_s=0))


def work(machine: Machine, service: Service, *, gives_up: bool) -> Status:
    """Begin the saga or take it up, and bring it to its end, as an agent does that repeats its calls."""
    saga = runtime(machine, service).resume("4921")
    for name in STEPS:
        if saga.ending is None:
            saga.call(name, {"what": name}, call_id=name)
    return (saga.give_up("enough") if gives_up else saga.finish()).status


def service_of(machine: Machine) -> Service:
    """A service that hears nothing from a machine without power."""
    return Service(machine.refuse_if_down)


def lose_power(machine: Machine, loss: type[BaseException], service: Service, **how: Any) -> None:
    """Work until the power goes, somewhere; have it back."""
    machine.disk.until = machine.chance.randrange(1, 110)
    with suppress(loss):
        work(machine, service, **how)
    machine.lose_power()


def kept(machine: Machine) -> list[tuple[str, int, Record]]:
    """What is in the journal."""
    records = machine.journal.read("4921")
    return [("4921", number, record) for number, record in enumerate(records, start=1)]


ALL = sorted(f"4921/{name}" for name in STEPS)
"""What stands after a saga that completed: the same, whoever made the calls, and no other key."""


def check_kept(machine: Machine) -> None:
    """See that all is there that was said to be kept, and at most one record more: the one under way."""
    found = kept(machine)
    assert found[: len(machine.acked)] == machine.acked
    assert len(found) <= len(machine.acked) + 1
    machine.acked = found


def test_a_thousand_power_losses_lose_nothing_that_was_kept_and_double_nothing(
    machine: Callable[[int], Machine], power_loss: type[BaseException]
) -> None:
    lost_after: set[int] = set()
    losses = seed = 0
    while losses < LOSSES:
        with machine(seed) as here:
            service, gives_up = service_of(here), bool(seed % 2)
            for _ in range(here.chance.randint(1, 3)):
                lose_power(here, power_loss, service, gives_up=gives_up)
                check_kept(here)
                lost_after.add(len(here.acked))
                losses += 1
            assert work(here, service, gives_up=gives_up) == ("compensated" if gives_up else "completed")
            assert service.standing() == ([] if gives_up else ALL), f"seed {seed}"
            assert here.journal.open_sagas() == []
            assert service.cases == {}
        seed += 1
    assert lost_after == set(range(max(lost_after) + 1)), "the power went after each record"
    assert max(lost_after) > 4 * len(STEPS), "also in the unwind"


# The test can fail ------------------------------------------------------------------------------------------


def losses_of(machine: Callable[..., Machine], loss: type[BaseException], **settings: Any) -> int:
    """How often of 100 times less was there than had been kept; what is there begins as it should."""
    short = 0
    for seed in range(100):
        with machine(seed, **settings) as here:
            lose_power(here, loss, service_of(here), gives_up=False)
            found = kept(here)
            assert found == here.acked[: len(found)] or found[:-1] == here.acked, "never a hole"
            short += len(found) < len(here.acked)
    return short


def test_with_the_settings_of_production_no_record_is_lost(
    machine: Callable[..., Machine], power_loss: type[BaseException]
) -> None:
    assert losses_of(machine, power_loss) == 0


@pytest.mark.parametrize("settings", [{"synchronous": "NORMAL"}, {"lies": True}], ids=["NORMAL", "lies"])
def test_without_a_sync_on_each_commit_or_with_a_disk_that_lies_records_are_lost(
    machine: Callable[..., Machine], power_loss: type[BaseException], settings: dict[str, Any]
) -> None:
    assert losses_of(machine, power_loss, **settings) > 50


def test_where_the_disk_lies_an_agent_that_repeats_its_calls_still_doubles_nothing(
    machine: Callable[..., Machine], power_loss: type[BaseException]
) -> None:
    for seed in range(100):
        with machine(seed, lies=True) as here:
            service = service_of(here)
            lose_power(here, power_loss, service, gives_up=False)
            assert work(here, service, gives_up=False) == "completed"
            assert service.standing() == ALL, "the keys follow from saga and call, not from the journal"


def test_where_the_disk_lies_only_what_lost_its_own_record_can_be_left_by_one_that_gives_up(
    machine: Callable[..., Machine], power_loss: type[BaseException]
) -> None:
    left = 0
    for seed in range(100):
        with machine(seed, lies=True) as here:
            service = service_of(here)
            lose_power(here, power_loss, service, gives_up=False)
            known = {record.body.get("key") for _, _, record in kept(here) if record.kind == "intent"}
            saga = runtime(here, service).resume("4921")
            if saga.ending is None:
                saga.give_up("enough")
                assert known.isdisjoint(service.standing())
                left += bool(service.standing())
    assert left, "nobody can know of these: no client can prevent it"
