"""The events of the bundled systems: which call sends what, and what comes of sagas that listen to them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Ended, Notified, Sent
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.system import System
from sagaproof_fakes import Billing, Desk, Ledger, Mail

Body = Callable[[Any], Any]


def systems() -> dict[str, System]:
    return {system.name: system for system in (Billing(), Ledger(), Mail(), Desk())}


def run(saga: Body, plan: str = "") -> History:
    with Runner(WorldHandle(systems()), CallableDriver(saga)) as runner:
        return runner.run(OPAQUE, Plan.parse(plan))


def sent(saga: Body) -> list[str]:
    """The types of all events that a saga hears of."""

    def listens(world: Any) -> None:
        world.on_event(lambda _: None)
        saga(world)

    return [event.type for event in run(listens).of(Sent)]


# Which call sends what --------------------------------------------------------------------------------------


def test_money_that_comes_in_and_goes_out_is_told() -> None:
    def saga(world: Any) -> None:
        billing = world.direct.billing
        world.billing.add_customer("cus_1")
        held = billing.authorize_payment(customer="cus_1", amount=900)
        billing.capture_payment(payment_id=held["id"])
        paid = billing.charge(customer="cus_1", amount=900)
        billing.refund_payment(payment_id=paid["id"])

    assert sent(saga) == ["payment.captured", "payment.captured", "payment.refunded"]


def test_an_invoice_is_paid_once_nothing_is_left_to_pay() -> None:
    def saga(world: Any) -> None:
        billing = world.direct.billing
        world.billing.add_customer("cus_1")
        invoice = billing.create_invoice(customer="cus_1", total=900)["id"]
        billing.finalize_invoice(invoice_id=invoice)
        billing.pay_invoice(invoice_id=invoice, amount=400)
        billing.pay_invoice(invoice_id=invoice)

    assert sent(saga) == ["payment.captured", "payment.captured", "invoice.paid"]


def test_a_mail_that_is_out_and_one_that_comes_back_are_told() -> None:
    def saga(world: Any) -> None:
        mail = world.direct.mail.send(to="ann@example.test", subject="s", body="b")
        world.mail.bounce(mail["id"])

    assert sent(saga) == ["mail.delivered", "mail.bounced"]


def test_a_case_that_is_resolved_is_told_once_be_it_by_a_call_or_by_a_person() -> None:
    def saga(world: Any) -> None:
        first = world.direct.desk.open_case(title="one", package={})["id"]
        second = world.direct.desk.open_case(title="two", package={})["id"]
        for _ in range(2):
            world.direct.desk.resolve(case_id=first, resolution="done")
        world.desk.resolve(second, "done as well")

    assert sent(saga) == ["case.resolved"] * 2


def test_a_person_who_answers_may_answer_otherwise_afterwards() -> None:
    heard: list[str] = []

    def saga(world: Any) -> None:
        world.on_event(lambda event: heard.append(event["data"]["resolution"]), "case.resolved")
        world.desk.answer_cases("yes", "no")
        case = world.direct.desk.open_case(title="May I?", package={})
        assert case["status"] == "open"
        assert world.direct.desk.get_case(case_id=case["id"])["resolution"] == "no"

    run(saga)
    assert heard == ["yes", "no"]


def test_nobody_answers_in_the_next_run() -> None:
    desk = Desk()
    desk.answer_cases("yes")
    desk.reset()
    with Runner(WorldHandle({"desk": desk}), CallableDriver(asks)) as runner:
        assert not [*runner.run(OPAQUE, Plan.parse("")).of(Notified)]


def asks(world: Any) -> None:
    world.on_event(lambda _: None)
    world.direct.desk.open_case(title="May I?", package={})


# A mail that comes back after the end -----------------------------------------------------------------------


def test_a_bounce_after_the_end_is_told_and_a_case_for_it_is_right() -> None:
    def saga(world: Any) -> None:
        def on_bounce(event: dict[str, Any]) -> None:
            world.direct.desk.open_case(title="A mail came back", package={"mail": event["data"]["message"]})

        world.on_event(on_bounce, "mail.bounced")
        world.direct.mail.send(to="ann@example.test", subject="s", body="b", key="m")

    history = run(saga, "mail.send.1=bounced")
    kinds = [event.__class__ for event in history.events if isinstance(event, Ended | Notified)]
    assert kinds == [Ended, Notified]
    assert len(history.cases) == 1
    campaign = explore(
        Subject("mailing", CallableDriver(saga), systems(), checks()), Settings(faults=1, families=("event",))
    )
    assert not campaign.findings


# A person who answers late or twice -------------------------------------------------------------------------


class Approved:
    """Asks a person, and books once they say yes; without an answer in time it does nothing."""

    def __init__(self, world: Any) -> None:
        world.ledger.add_account("receivables")
        world.ledger.add_account("sales", kind="income")
        world.desk.answer_cases("yes")
        self.direct, self.status = world.direct, "waiting"
        world.on_event(self.on_event, "case.resolved")

    def run(self) -> str:
        self.direct.desk.open_case(title="May I book order 4921?", package={"order": "4921"}, key="ask")
        time.sleep(60)
        if self.status == "waiting":
            self.status = "refused"
        return self.status

    def on_event(self, event: dict[str, Any]) -> None:
        if self.status == "waiting" and event["data"]["resolution"] == "yes":
            self.book("4921")

    def book(self, key: str) -> None:
        self.status = "completed"
        try:
            self.direct.ledger.post_transfer(debit="receivables", credit="sales", amount=900, key=key)
        except ToolError:
            self.status = "refused"


class ResumesAtEach(Approved):
    def on_event(self, event: dict[str, Any]) -> None:
        """Book at each answer, whenever it comes."""
        self.book(f"{event['type']}-{time.time()}")


@pytest.mark.parametrize(
    ("fault", "check"), [("event-twice", "applied-once"), ("event-late", "rest-is-rest")]
)
def test_a_saga_that_resumes_at_each_answer_is_found(fault: str, check: str) -> None:
    assert (f"desk.events.1={fault}", check) in findings(ResumesAtEach)


def test_a_saga_that_resumes_once_and_in_time_is_right() -> None:
    assert findings(Approved) == set()


def findings(made: type[Approved]) -> set[tuple[str, str]]:
    driver = CallableDriver(lambda world: made(world).run())
    subject = Subject("approved", driver, systems(), checks())
    campaign = explore(subject, Settings(faults=1, families=("event", "rejection")))
    assert not campaign.errors
    return {(str(finding.plan), finding.check) for finding in campaign.findings}
