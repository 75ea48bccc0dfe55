"""A small shop that tests of the core share: each kind of operation once, with and without keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from sagaproof._model.plan import Plan
from sagaproof._report.schema import FindingPart, GridPart, ScenarioPart
from sagaproof._taps.gate import Gate
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.operation import Refusal, invariant, operation
from sagaproof._world.system import System
from sagaproof._world.table import Table

Row = Mapping[str, Any]


class Shop(System):
    """Orders that can be cancelled, notes that cannot, parcels that are gone once sent."""

    name: ClassVar[str] = "shop"
    hosts: ClassVar[tuple[str, ...]] = ("shop.test",)

    orders = Table(gone={"status": ("cancelled",)}, volatile=("version",))
    parcels = Table()
    cases = Table()

    @operation(cls=1)
    def get_order(self, *, order: str) -> Row:
        """Read."""
        return self.found(order)

    @operation(cls=2, ref="order")
    def set_note(self, *, order: str, note: str) -> Row:
        """Write what nobody takes back."""
        self.found(order)
        return self.orders.patch(order, note=note)

    @operation(cls=3, ref="order", restores=("orders", "place"))
    def set_place(self, *, order: str, place: str) -> Row:
        """Write what can be put back."""
        row = self.found(order)
        return self.orders.patch(order, place=place, version=self.next_version(row))

    @operation(cls=4, ref="id", amount="amount", status=201)
    def buy(self, *, item: str, amount: int = 100) -> Row:
        """Make an order."""
        if item == "sold out":
            raise Refusal(409, "sold_out", "there is none left")
        if item == "jammed":
            self.orders.put("half", {"item": item})
            raise Refusal(500, "jammed", "the till is jammed")
        key = self.ids.next("o")
        row = {"id": key, "item": item, "amount": amount, "place": "here", "status": "open", "version": 1}
        return self.orders.put(key, row)

    @operation(cls=4, undoes="buy", ref="order")
    def cancel(self, *, order: str) -> Row:
        """Take an order back."""
        if self.found(order)["status"] == "cancelled":
            raise Refusal(409, "cancelled", f"{order} is cancelled already")
        return self.orders.patch(order, status="cancelled")

    @operation(cls=3, ref="id")
    def draft(self, *, text: str) -> Row:
        """Make an order that only a call by key takes back."""
        key = self.ids.next("o")
        return self.orders.put(key, {"id": key, "text": text, "status": "draft"})

    @operation(cls=3, ref="order")
    def archive(self, *, order: str) -> None:
        """Drop an order, which only a call by key takes back."""
        self.found(order)
        self.orders.drop(order)

    @operation(cls=5, ref="id", keyed=False, traits=("mail",))
    def send(self, *, order: str) -> Row:
        """Send a parcel; there are no keys, and no way back."""
        key = self.ids.next("p")
        return self.parcels.put(key, {"id": key, "order": order})

    @operation(cls=2, ref="id", escalates=True)
    def tell(self, *, text: str) -> Row:
        """Tell a person."""
        key = self.ids.next("case")
        return self.cases.put(key, {"id": key, "text": text})

    @invariant
    def sums_are_positive(self) -> str:
        """No order over less than nothing."""
        return next(
            (f"{r['id']} has {r['amount']}" for r in self.orders.rows.values() if r.get("amount", 0) < 0), ""
        )

    def found(self, order: str) -> Row:
        """The order, or a refusal."""
        row = self.orders.get(order)
        if row is None:
            raise Refusal(404, "not_found", f"there is no order {order!r}")
        return row


class Bank(System):
    """A second system, which an outage of the shop does not touch."""

    name: ClassVar[str] = "bank"
    hosts: ClassVar[tuple[str, ...]] = ("bank.test",)

    holds = Table()

    @operation(cls=3, ref="id")
    def hold(self, *, amount: int) -> Row:
        """Hold money."""
        key = self.ids.next("h")
        return self.holds.put(key, {"id": key, "amount": amount})

    @operation(cls=3, undoes="hold", ref="hold")
    def release(self, *, hold: str) -> None:
        """Let it go."""
        if self.holds.get(hold) is None:
            raise Refusal(404, "not_found", f"there is no hold {hold!r}")
        self.holds.drop(hold)


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
def world(shop: Shop, bank: Bank) -> WorldHandle:
    """A shop and a bank, empty, with no faults planned."""
    return WorldHandle({"shop": shop, "bank": bank})


@pytest.fixture
def under(world: WorldHandle) -> Callable[..., WorldHandle]:
    """`under(plan, **settings of the gate)`: the world at the beginning of a run under that plan."""

    def under(plan: str = "", **settings: Any) -> WorldHandle:
        world.begin(Gate(world.state, Plan.parse(plan), **settings))
        return world

    return under


@pytest.fixture(scope="session")
def finding_of() -> Callable[..., FindingPart]:
    """A function that makes a finding of a report: of a run that nobody has made, but for what is given."""

    def make(
        check: str = "rest-is-rest", says: str = "said it", plan: str = "a.b.1=503", **more: Any
    ) -> FindingPart:
        values: dict[str, Any] = {
            "claim": "completed",
            "where": ("a.b/forward/first/before-pivot",),
            "because": "of that",
            "script": "opaque",
            "replay": f"sagaproof replay shop {plan}",
            "snippet": "",
            "plans": 1,
        }
        values |= dict.fromkeys(("faults", "timeline", "world_diff", "residue"), ())
        return FindingPart(check=check, says=says, plan=plan, told=None, twin=None, **(values | more))

    return make


@pytest.fixture(scope="session")
def scenario_of() -> Callable[..., ScenarioPart]:
    """A function that makes a scenario of a report; with findings that count, its status says so."""

    def make(name: str = "shop", **more: Any) -> ScenarioPart:
        empty = ("missing", "surplus", "scripts", "findings", "tally", "checks", "excluded", "notes")
        values: dict[str, Any] = dict.fromkeys((*empty, "incomplete", "errors"), ())
        values |= {"grid": GridPart(faults=(), rows=()), "expected_met": None, "runs": 9}
        found = bool(more.get("findings"))
        values |= {"status": "findings" if found else "clean", "exit_code": int(found)}
        return ScenarioPart(name=name, **(values | more))

    return make
