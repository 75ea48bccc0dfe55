"""Small systems for planted sagas, and one run of a saga under a plan, judged by all checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from sagaproof._checks.catalogue import checks
from sagaproof._checks.protocol import RunCheck, Verdict
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._drivers.protocol import Driver
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE, Script
from sagaproof._run.runner import Runner
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.operation import Refusal, invariant, operation
from sagaproof._world.system import System
from sagaproof._world.table import Table

Row = Mapping[str, Any]


class Bank(System):
    """Credits that can be reversed in parts; keys are honoured. It lets itself be reversed too far."""

    name = "bank"
    credits = Table(gone={"status": ("reversed",)})

    @operation(cls=4, ref="id", amount="amount")
    def issue(self, *, to: str, amount: int) -> Row:
        """Give."""
        key = self.ids.next("cr")
        return self.credits.put(key, {"id": key, "to": to, "amount": amount, "left": amount, "status": "ok"})

    @operation(cls=4, undoes="issue", ref="credit", amount="amount")
    def reverse(self, *, credit: str, amount: int | None = None) -> Row:
        """Take back, all that is left if no amount is given."""
        row = self.credits.get(credit)
        if row is None:
            raise Refusal(404, "not_found", f"there is no credit {credit}")
        if row["status"] == "reversed" and amount is None:
            raise Refusal(409, "already_reversed", f"credit {credit} is reversed")
        taken = row["left"] if amount is None else amount
        left = row["left"] - taken
        self.credits.patch(credit, left=left, status="reversed" if left <= 0 else "ok")
        return {"id": credit, "amount": taken}

    @invariant
    def nothing_below_zero(self) -> str:
        """No credit is reversed by more than it was."""
        return next(
            (f"{r['id']} has {r['left']} left" for r in self.credits.rows.values() if r["left"] < 0), ""
        )


class Crm(System):
    """Tickets with a status, which can be put back, and a priority, which need not."""

    name = "crm"
    tickets = Table(volatile=("version",))

    def add_ticket(self, ticket: str, status: str = "open") -> None:
        """Set up a ticket."""
        self.tickets.put(ticket, {"status": status, "priority": "low", "version": 1})

    @operation(cls=1)
    def get_ticket(self, *, ticket: str) -> Row:
        """Read."""
        return {"ticket": ticket, **(self.tickets.get(ticket) or {})}

    @operation(cls=3, ref="ticket", restores=("tickets", "status"))
    def set_status(self, *, ticket: str, status: str) -> Row:
        """Write; the version rises even if nothing changes."""
        version = self.next_version(self.tickets[ticket])
        return {"ticket": ticket, **self.tickets.patch(ticket, status=status, version=version)}

    @operation(cls=2, ref="ticket")
    def set_priority(self, *, ticket: str, priority: str) -> Row:
        """Write what nobody takes back."""
        return {"ticket": ticket, **self.tickets.patch(ticket, priority=priority)}


class Hotel(System):
    """Rooms without keys or memory: a cancellation can be booked twice."""

    name = "hotel"
    rooms = Table(gone={"status": ("cancelled",)})
    cancellations = Table(gone={"kind": ("cancellation",)})
    guests = Table()

    @operation(cls=3, ref="id", keyed=False)
    def book(self, *, guest: str) -> Row:
        """Book a room."""
        key = self.ids.next("room")
        return self.rooms.put(key, {"id": key, "guest": guest, "status": "booked"})

    @operation(cls=3, undoes="book", ref="room", keyed=False)
    def cancel(self, *, room: str) -> Row:
        """Cancel a room, and once more, and once more."""
        key = self.ids.next("cancellation")
        self.cancellations.put(key, {"kind": "cancellation", "room": room})
        return self.rooms.patch(room, status="cancelled")

    @operation(cls=3, undoes="book", ref="room", keyed=False)
    def cancel_all(self, *, room: str) -> Row:
        """Cancel a room, and all others that its guest has."""
        guest = self.rooms[room]["guest"]
        for other, row in list(self.rooms.rows.items()):
            if row["guest"] == guest:
                self.rooms.patch(other, status="cancelled")
        return self.rooms[room]

    @operation(cls=3, undoes="book", ref="room", keyed=False)
    def cancel_counted(self, *, room: str) -> Row:
        """Cancel a room, and keep count of what its guest has cancelled."""
        guest = self.rooms[room]["guest"]
        self.guests.patch(guest, cancelled=self.guests[guest]["cancelled"] + 1)
        return self.rooms.patch(room, status="cancelled")


class Mail(System):
    """Letters, which are not to be called back."""

    name = "mail"
    sent = Table()

    @operation(cls=5, ref="id", traits=("mail",))
    def send(self, *, to: str) -> Row:
        """Send."""
        key = self.ids.next("letter")
        return self.sent.put(key, {"id": key, "to": to})


class Desk(System):
    """Where a person is told."""

    name = "desk"
    cases = Table()

    @operation(cls=2, ref="id", escalates=True)
    def open_case(self, *, text: str) -> Row:
        """Tell a person."""
        key = self.ids.next("case")
        return self.cases.put(key, {"id": key, "text": text, "status": "open"})


Body = Callable[[Any], object]
Run = Callable[..., History]
Judged = Callable[..., dict[str, Verdict]]


def fresh_systems() -> dict[str, System]:
    return {system.name: system for system in (Bank(), Crm(), Hotel(), Mail(), Desk())}


@pytest.fixture
def systems() -> Callable[[], dict[str, System]]:
    """`systems()`: one fresh system of each kind, by name."""
    return fresh_systems


@pytest.fixture
def run() -> Run:
    """`run(body, plan)`: the history of a saga under a plan, with its fault-free twin."""

    def run(body: Body, plan: str = "", *, invariants: Iterable[Callable[[Any], object]] = ()) -> History:
        with Runner(WorldHandle(fresh_systems()), CallableDriver(body), invariants=invariants) as runner:
            twin = runner.run(OPAQUE, EMPTY)
            twin.twin = twin
            return runner.run(OPAQUE, Plan.parse(plan), twin) if plan else twin

    return run


class Store:
    """What a saga keeps on disk: it lives as long as the test, and a first process begins with none."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def fresh(self, world: Any) -> Callable[[Any], None]:
        """Its one write, with a tap around it, into an empty store."""
        self.lines = []
        return self.tapped(world)

    def tapped(self, world: Any) -> Callable[[Any], None]:
        """The same into the store as it is."""
        write: Callable[[Any], None] = world.durable(self.lines.append)
        return write


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def restarted() -> Run:
    """`restarted(body, recover, plan)`: the history of a saga that can be restarted, with its twin."""

    def restarted(body: Body, recover: Body, plan: str) -> History:
        return _history(CallableDriver(body, recover), OPAQUE, plan)

    return restarted


@pytest.fixture
def fed() -> Run:
    """`fed(make, recover, script, plan)`: the history of a saga that is fed by an agent, with its twin."""

    def fed(make: Callable[[Any], Any], recover: Body | None, script: Script, plan: str = "") -> History:
        return _history(FedDriver(make, recover), script, plan)

    return fed


def _history(driver: Driver, script: Script, plan: str) -> History:
    with Runner(WorldHandle(fresh_systems()), driver) as runner:
        twin = runner.run(script, EMPTY)
        twin.twin = twin
        return runner.run(script, Plan.parse(plan), twin) if plan else twin


@pytest.fixture
def judged(run: Run) -> Judged:
    """`judged(body, plan)`: the verdict of every check on that run, by slug."""

    def judged(
        body: Body,
        plan: str = "",
        *,
        invariants: Iterable[Callable[[Any], object]] = (),
        independent: Iterable[tuple[str, str]] = (),
        attempts: Mapping[str, int] | None = None,
    ) -> dict[str, Verdict]:
        invariants = tuple(invariants)
        history = run(body, plan, invariants=invariants)
        found = checks(invariants=len(invariants), independent=independent, attempts=attempts)
        return {c.slug: c.judge(history) for c in found if isinstance(c, RunCheck)}

    return judged


@pytest.fixture
def violations(judged: Judged) -> Callable[..., dict[str, str]]:
    """`violations(body, plan)`: the claims of all violated checks, by slug."""

    def violations(body: Body, plan: str = "", **settings: Any) -> dict[str, str]:
        verdicts = judged(body, plan, **settings)
        return {slug: verdict.claim for slug, verdict in verdicts.items() if verdict.state == "violated"}

    return violations
