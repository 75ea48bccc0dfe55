"""Random calls to a small bank: what is stored is always the sum of what the log says was changed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sagaproof._model.event import Applied, Called, Told
from sagaproof._model.fault import Learnt, applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import ALL, EMPTY, Injection, Plan
from sagaproof._model.point import Phase, Point
from sagaproof._taps.direct import ToolError
from sagaproof._taps.gate import Gate
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.operation import Refusal, operation
from sagaproof._world.system import System
from sagaproof._world.table import Table

same_every_time = settings(max_examples=80, deadline=None, derandomize=True, database=None)

Row = Mapping[str, Any]


class Bank(System):
    """One account: what is paid in can be taken back, and no more than is there can be paid out."""

    name = "bank"
    accounts = Table()
    payments = Table(gone={"status": ("back",)})

    @operation(cls=4, ref="payment", amount="cents")
    def pay_in(self, *, cents: int) -> Row:
        """Pay in."""
        return self._book(cents)

    @operation(cls=4, undoes="pay_in", ref="payment")
    def take_back(self, *, payment: str) -> Row:
        """Take a payment back."""
        row = self.payments.get(payment)
        if row is None or row["status"] == "back":
            raise Refusal(409, "no_payment", f"there is no payment {payment} to take back")
        self._add(-row["cents"])
        return self.payments.patch(payment, status="back")

    @operation(cls=5, ref="payment", amount="cents", keyed=False)
    def pay_out(self, *, cents: int) -> Row:
        """Pay out: half of it is booked before it is seen that there is not enough."""
        self._add(-cents)
        if self.balance < 0:
            raise Refusal(422, "too_little", "there is not enough")
        return self.payments.put(self.ids.next("out"), {"cents": -cents, "status": "ok"})

    def _book(self, cents: int) -> Row:
        self._add(cents)
        payment = self.ids.next("in")
        row = self.payments.put(payment, {"cents": cents, "status": "ok"})
        return {**row, "payment": payment}

    def _add(self, cents: int) -> None:
        self.accounts.put("a", {"cents": self.balance + cents})

    @property
    def balance(self) -> int:
        """What is there."""
        return int((self.accounts.get("a") or {"cents": 0})["cents"])


keys = st.none() | st.sampled_from(["k1", "k2"])
calls: st.SearchStrategy[Any] = st.one_of(
    st.tuples(st.just("pay_in"), st.fixed_dictionaries({"cents": st.integers(1, 3)}), keys),
    st.tuples(st.just("pay_out"), st.fixed_dictionaries({"cents": st.integers(1, 3)}), st.none()),
    st.tuples(
        st.just("take_back"), st.fixed_dictionaries({"payment": st.sampled_from(["in_1", "in_2"])}), keys
    ),
    st.tuples(st.just("undo"), st.just({}), st.sampled_from(["k1", "k2"])),
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Up to three faults at calls that there may be."""
    bank = Bank().operations()
    found = {}
    for _ in range(draw(st.integers(0, 3))):
        known = bank[draw(st.sampled_from(["pay_in", "pay_out", "take_back"]))]
        kinds = [
            fault.name
            for fault in FAULTS.values()
            if applicable(fault, known, Phase.FORWARD) and fault.learnt is not Learnt.DEATH
        ]  # the dead make no further calls
        point = Point(known.full, draw(st.integers(1, 3)), draw(st.integers(1, 2)))
        times = draw(st.sampled_from([1, 2, ALL]))
        found[point] = Injection(point, draw(st.sampled_from(kinds)), times)
    return Plan.of(*found.values())


def make(world: WorldHandle, call: tuple[str, dict[str, Any], str | None]) -> None:
    name, args, key = call
    bank = world.direct.bank
    try:
        if name == "undo":
            bank.undo_by_key("pay_in", str(key))
        else:
            getattr(bank, name)(**args, key=key)
    except (ToolError, OSError, asyncio.CancelledError):
        pass


@pytest.mark.slow
@same_every_time
@given(st.lists(calls, max_size=15), plans())
def test_the_state_is_the_sum_of_all_changes(sequence: list[Any], plan: Plan) -> None:
    bank = Bank()
    world = WorldHandle({"bank": bank})
    world.begin(Gate(world.state, plan))
    for call in sequence:
        make(world, call)
        assert_sums(world)
    world.gate.land_everything()
    assert_sums(world)
    assert bank.balance == sum(row["cents"] for row in bank.payments.where(status="ok"))


def assert_sums(world: WorldHandle) -> None:
    """Redo every logged change on empty tables: each starts from what is there, and nothing is missing."""
    state: dict[tuple[str, str], Row] = {}
    for event in world.state.log:
        if isinstance(event, Applied):
            for change in event.effect.changes:
                at = (change.table, change.key)
                assert state.get(at) == change.before
                if change.after is None:
                    del state[at]
                else:
                    state[at] = change.after
    assert state == {(table.name, key): table[key] for table in world.bank.tables for key in table}


@pytest.mark.slow
@same_every_time
@given(st.lists(calls, max_size=12), plans())
def test_each_arrival_is_told_something_exactly_once(sequence: list[Any], plan: Plan) -> None:
    world = WorldHandle({"bank": Bank()})
    world.begin(Gate(world.state, plan))
    for call in sequence:
        make(world, call)
    called = [(e.call, e.point) for e in world.state.log if isinstance(e, Called)]
    told = [(e.call, e.point) for e in world.state.log if isinstance(e, Told)]
    assert called == told
    assert len(set(called)) == len(called) == len(sequence)


@same_every_time
@given(st.lists(calls, max_size=12), plans())
def test_the_same_calls_under_the_same_plan_give_the_same_log(sequence: list[Any], plan: Plan) -> None:
    world = WorldHandle({"bank": Bank()})
    logs = []
    for _ in range(2):
        world.begin(Gate(world.state, plan))
        for call in sequence:
            make(world, call)
        world.gate.land_everything()
        logs.append(world.state.log)
    assert logs[0] == logs[1]


@same_every_time
@given(st.lists(calls, max_size=12))
def test_one_key_is_never_applied_twice(sequence: list[Any]) -> None:
    world = WorldHandle({"bank": Bank()})
    world.begin(Gate(world.state, EMPTY))
    for call in sequence:
        make(world, call)
    keyed = [e.effect.key for e in world.state.log if isinstance(e, Applied) and e.effect.key]
    assert len(set(keyed)) == len(keyed)
