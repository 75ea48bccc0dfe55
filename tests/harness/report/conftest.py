"""Small campaigns for the tests of tally and reports: a shop with credits, tickets, mail, and a saga."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import pytest

from sagaproof import Claim, History, System, Table, ToolError, Verdict, World, operation
from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._checks.protocol import HELD, Facts, RunCheck, violated
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE
from sagaproof._report.build import build
from sagaproof._report.schema import Report
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Outcome
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle

Body = Callable[[World], object]
SETTINGS: Final = Settings(families=("outage", "lost answer"))


class Shop(System):
    """Credits that are reversed, tickets whose status is put back, mail that cannot be taken back."""

    name = "shop"
    credits = Table(gone={"status": ("reversed",)})
    tickets = Table()
    mails = Table()

    def add_ticket(self, name: str) -> None:
        self.tickets.put(name, {"id": name, "status": "open"})

    @operation(cls=1)
    def get_ticket(self, *, ticket: str) -> Any:
        return self.tickets.get(ticket)

    @operation(cls=4, ref="id", amount="amount")
    def issue_credit(self, *, customer: str, amount: int) -> Any:
        name = self.ids.next("cr")
        row = {"id": name, "customer": customer, "amount": amount, "status": "issued"}
        return self.credits.put(name, row)

    @operation(cls=4, undoes="issue_credit", ref="credit")
    def reverse_credit(self, *, credit: str) -> Any:
        return self.credits.patch(credit, status="reversed")

    @operation(cls=3, restores=("tickets", "status"), ref="ticket")
    def set_status(self, *, ticket: str, status: str) -> Any:
        return self.tickets.patch(ticket, status=status)

    @operation(cls=5, ref="id")
    def send(self, *, text: str) -> Any:
        name = self.ids.next("msg")
        return self.mails.put(name, {"id": name, "text": text})


class NoMail:
    """Violated by each run that claims to be compensated: a second check for the same plans."""

    slug = "no-mail"

    def applies(self, facts: Facts) -> bool:
        return bool(facts)

    def judge(self, history: History) -> Verdict:
        if history.claim is Claim.COMPENSATED and history.residue:
            return violated("said 'compensated', but nobody was mailed", because="no mail was sent")
        return HELD


def credit_then_mail(world: World) -> object:
    """Credit, ticket, mail; on failure it undoes once and swallows what goes wrong with that."""
    shop = world.direct.shop
    world.shop.add_ticket("9104")
    credit = shop.issue_credit(customer="cus_7", amount=250_000)
    try:
        shop.set_status(ticket="9104", status="solved")
        shop.send(text="credited")
    except (ToolError, OSError):
        return _undone(shop, credit["id"])
    return "completed"


def _undone(shop: Any, credit: str) -> str:
    with suppress(ToolError, OSError):
        shop.set_status(ticket="9104", status="open")
        shop.reverse_credit(credit=credit)
    return "compensated"


class Explore(Protocol):
    def __call__(
        self,
        body: Body = ...,
        *,
        name: str = ...,
        recover: Body | None = ...,
        checks: Sequence[RunCheck] = ...,
        settings: Settings = ...,
    ) -> Campaign: ...


@pytest.fixture(scope="session")
def explored() -> Explore:
    """A function that explores a body on the shop."""

    def run(
        body: Body = credit_then_mail,
        *,
        name: str = "credit-then-mail",
        recover: Body | None = None,
        checks: Sequence[RunCheck] = (CompensatedIsClean(),),
        settings: Settings = SETTINGS,
    ) -> Campaign:
        return explore(Subject(name, CallableDriver(body, recover), {"shop": Shop()}, checks), settings)

    return run


@pytest.fixture(scope="session")
def campaign(explored: Explore) -> Campaign:
    return explored(checks=(CompensatedIsClean(), NoMail()))


@pytest.fixture(scope="session")
def report(campaign: Campaign) -> Report:
    return build([Outcome(campaign)], stable=True)


@pytest.fixture(scope="session")
def ran() -> Callable[[Body, str], History]:
    """A function that runs a body on the shop under a plan text; its twin is the fault-free run."""

    def run(body: Body, plan: str) -> History:
        driver = CallableDriver(body)
        with Runner(WorldHandle({"shop": Shop()}), driver) as runner:
            twin = runner.run(OPAQUE, EMPTY)
            return runner.run(OPAQUE, Plan.parse(plan), twin) if plan else twin

    return run
