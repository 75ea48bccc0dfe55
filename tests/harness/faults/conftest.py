"""A depot with all that the fault table asks of an operation, and two ways of calling it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import httpx
import pytest

from sagaproof._model.effect import Effect
from sagaproof._model.plan import Plan
from sagaproof._taps.direct import ToolError
from sagaproof._taps.gate import Gate
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.httpx import HttpxTap
from sagaproof._taps.stopped import ProcessDied
from sagaproof._world.operation import Refusal, operation
from sagaproof._world.system import System
from sagaproof._world.table import Table

Row = Mapping[str, Any]


class Depot(System):
    """Items are kept and taken back, one by one or many at once; parcels are gone once sent."""

    name: ClassVar[str] = "depot"
    hosts: ClassVar[tuple[str, ...]] = ("depot.test",)

    items = Table()
    parcels = Table()

    @operation(
        cls=4, route="POST /items", status=201, ref="id", amount="amount",
        meanwhile={"meddled": "recount", "consumed": "sell"},
    )  # fmt: skip
    def keep(self, name: str, amount: int = 100) -> Row:
        """Keep an item."""
        key = self.ids.next("item")
        return self.items.put(key, {"id": key, "name": name, "amount": amount, "status": "kept"})

    @operation(cls=4, route="POST /items/{item}/back", undoes="keep", ref="item")
    def give_back(self, item: str) -> Row:
        """Give an item back, unless it has been sold."""
        row = self._found(item)
        if row["status"] == "sold":
            raise Refusal(409, "sold", f"{item} has been sold")
        self.items.drop(item)
        return row

    @operation(cls=3, route="PUT /items/{item}/name", ref="item", restores=("items", "name"))
    def rename(self, item: str, name: str) -> Row:
        """Call an item something else."""
        self._found(item)
        return self.items.patch(item, name=name)

    @operation(cls=3, route="POST /batches", ref="batch", bulk="names")
    def keep_all(self, names: list[Any]) -> Row:
        """Keep many items; of a batch, only a call by key takes them back."""
        kept = [dict(self.keep(name))["id"] for name in names]
        return {"batch": self.ids.next("batch"), "kept": kept}

    @operation(cls=1, route="GET /items/{item}")
    def get(self, item: str) -> Row:
        """Read an item."""
        return self._found(item)

    @operation(
        cls=5, route="POST /parcels", ref="id", keyed=False, traits=("mail",), meanwhile={"bounced": "bounce"}
    )
    def send(self, name: str) -> Row:
        """Send a parcel; there are no keys, and no way back."""
        key = self.ids.next("parcel")
        return self.parcels.put(key, {"id": key, "name": name, "status": "sent"})

    def recount(self, effect: Effect) -> None:
        """Somebody finds that there are more of it."""
        self.items.patch(str(effect.ref), amount=self.items[str(effect.ref)]["amount"] + 7)

    def sell(self, effect: Effect) -> None:
        """Somebody sells it."""
        self.items.patch(str(effect.ref), status="sold")

    def bounce(self, effect: Effect) -> None:
        """The parcel comes back."""
        self.parcels.patch(str(effect.ref), status="bounced")

    def _found(self, item: str) -> Row:
        row = self.items.get(item)
        if row is None:
            raise Refusal(404, "not_found", f"there is no item {item!r}")
        return row


class Office(System):
    """A second system, which no fault at the depot touches."""

    name: ClassVar[str] = "office"

    notes = Table()

    @operation(cls=2, ref="note")
    def note(self, note: str) -> Row:
        """Write something down."""
        return self.notes.put(note, {"note": note})


@pytest.fixture
def under() -> Callable[[str], WorldHandle]:
    """`under(plan)`: a depot and an office at the beginning of a run under that plan."""

    def under(plan: str) -> WorldHandle:
        world = WorldHandle({"depot": Depot(), "office": Office()})
        world.begin(Gate(world.state, Plan.parse(plan)))
        return world

    return under


Call = Callable[..., object]


def directly(world: WorldHandle, operation: str, key: str | None = None, **args: Any) -> object:
    """What a direct caller gets: a body, (status, code) of an error, or the name of what was raised."""
    try:
        body = getattr(world.direct.depot, operation)(**args, key=key)
    except ToolError as error:
        return error.status, error.code
    except (OSError, asyncio.CancelledError, ProcessDied) as error:
        return type(error).__name__
    return _code(200, body)


def over_http(world: WorldHandle, operation: str, key: str | None = None, **args: Any) -> object:
    """What a client of httpx gets: a body, (status, what is wrong), or the name of what was raised."""
    route = world.depot.declarations()[operation].route
    method, path = route.format(**args).split(" ")
    left = {name: value for name, value in args.items() if f"{{{name}}}" not in route}
    headers = {} if key is None else {"Idempotency-Key": key}
    tap = HttpxTap(world.state.systems, lambda: world.gate)
    try:
        with tap, httpx.Client(base_url="https://depot.test", headers=headers) as client:
            answer = client.request(method, path, json=left or None)
    except (httpx.TransportError, asyncio.CancelledError, ProcessDied) as error:
        return type(error).__name__
    if not answer.content or answer.headers["content-type"] != "application/json":
        return answer.status_code, answer.text[:9]
    return _code(answer.status_code, answer.json())


def _code(status: int, body: Any) -> object:
    if isinstance(body, dict) and "error" in body:
        return status, body["error"]["code"]
    return body if status in {200, 201} else (status, body)


@pytest.fixture(params=[directly, over_http], ids=lambda way: way.__name__)
def call(request: pytest.FixtureRequest) -> Call:
    """`call(world, operation, key=..., **args)`: what the caller sees, on either way to the depot."""
    way: Call = request.param
    return way


@pytest.fixture
def on_the_wire(call: Call) -> bool:
    """Whether calls are made over HTTP."""
    return call is over_http
