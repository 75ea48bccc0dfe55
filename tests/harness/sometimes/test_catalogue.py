"""Each built-in state: a run that gets there, and one that comes only so far."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import pytest

from sagaproof._doors.registry import scenarios
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._search.subject import Subject
from sagaproof._sometimes.catalogue import sometimes
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.operation import operation
from sagaproof._world.system import System
from sagaproof._world.table import Table

Ran = Callable[..., History]
SubjectOf = Callable[[str], Subject]


class Shop(System):
    """Teas, bought under a key."""

    name = "shop"
    sold = Table()

    @operation(cls=3, ref="id")
    def buy(self, *, item: str) -> dict[str, Any]:
        """Buy one."""
        key = self.ids.next("tea")
        return dict(self.sold.put(key, {"id": key, "item": item}))


class Run(NamedTuple):
    scenario: str
    plan: str = ""
    script: str | None = None


class Case(NamedTuple):
    """A state with a run that reaches it, and one that meets only the first `met` of its stages."""

    slug: str
    reaching: Run
    short: Run
    met: int


RUNTIME, BY_HAND, PAIRS, REPLY = "order-runtime", "order-by-hand", "order-pairs", "reply-runtime"
AGENT = "credit-runtime"
SCRIPT = "credit, ticket, reply"
OTHERWISE = f"{SCRIPT}; after a restart another amount"
NO_MAIL = "mail.send.1=422"
INVOICE_STAYS = f"{NO_MAIL},billing.delete_invoice.1=503/all"
UNDO_KILLED = "crm.set_order_status.1=503/all,crm.undo_set_order_status.1=crash-before"
LATER_DEATH = "journal.append.1=crash-before,crm.get_order.1@1=crash-before"
TWO_DEATHS = "journal.append.1=crash-before,journal.append.2@1=crash-before"

CASES = (
    Case("completed-through-a-fault", Run(RUNTIME, "mail.send.1=lost"), Run(RUNTIME, NO_MAIL), 1),
    Case(
        "undo-retried",
        Run(RUNTIME, f"{NO_MAIL},billing.delete_invoice.1=503"),
        Run(BY_HAND, INVOICE_STAYS),
        2,
    ),
    Case(
        "undo-given-up-and-told",
        Run(BY_HAND, INVOICE_STAYS),
        Run(RUNTIME, f"{NO_MAIL},billing.delete_invoice.1=503"),
        1,
    ),
    Case(
        "two-undos-fail",
        Run(BY_HAND, f"{INVOICE_STAYS},crm.undo_set_order_status.1=503/all"),
        Run(BY_HAND, INVOICE_STAYS),
        2,
    ),
    Case("full-unwind", Run(RUNTIME, NO_MAIL), Run(RUNTIME, "billing.create_invoice.1=422"), 2),
    Case("empty-rollback", Run(RUNTIME, "crm.set_order_status.1=503/all"), Run(RUNTIME, NO_MAIL), 1),
    Case(
        "late-call-fenced",
        Run(REPLY, "mail.send.1=late-undo,mail.send.1:2=503/all"),
        Run(RUNTIME, "crm.set_order_status.1=accepted"),
        1,
    ),
    Case(
        "duplicate-absorbed",
        Run(RUNTIME, "mail.send.1=duplicate"),
        Run(RUNTIME, NO_MAIL),
        0,
    ),
    Case("key-expired", Run(RUNTIME, "mail.send.1=key-expired"), Run(RUNTIME, "mail.send.1=lost"), 0),
    Case("pivot-rejected", Run(RUNTIME, NO_MAIL), Run(RUNTIME, "mail.send.1=lost"), 1),
    Case(
        "pivot-in-doubt-then-yes",
        Run(RUNTIME, "mail.send.1=lost"),
        Run(RUNTIME, "mail.send.1=timeout/all"),
        2,
    ),
    Case(
        "pivot-in-doubt-then-no",
        Run(RUNTIME, "mail.send.1=timeout/all"),
        Run(RUNTIME, "mail.send.1=lost"),
        2,
    ),
    Case(
        "pivot-in-doubt-to-the-end",
        Run(RUNTIME, "mail.send.1=lost,mail.send.1:2=auth-expired"),
        Run(RUNTIME, "mail.send.1=lost"),
        1,
    ),
    Case("retried-past-pivot", Run(REPLY, "crm.add_note.1=503"), Run(REPLY, "crm.add_note.1=503/all"), 2),
    Case("told-past-pivot", Run(REPLY, "crm.add_note.1=503/all"), Run(REPLY, "crm.add_note.1=503"), 2),
    Case(
        "crash-between-effect-and-journal",
        Run(RUNTIME, "crm.set_order_status.1=crash-after"),
        Run(RUNTIME, "billing.create_invoice.1=crash-before"),
        2,
    ),
    Case("crash-inside-undo", Run(RUNTIME, UNDO_KILLED), Run(RUNTIME, "journal.append.1=crash-before"), 1),
    Case("crash-during-recovery", Run(RUNTIME, TWO_DEATHS), Run(AGENT, LATER_DEATH), 2),
    Case("rate-limit-honoured", Run(RUNTIME, "crm.get_order.1=429"), Run(PAIRS, "mail.send.1=429"), 1),
    Case(
        "signed-in-again-mid-unwind",
        Run(RUNTIME, "mail.send.1=503/all,mail.undo_send.1=401"),
        Run(RUNTIME, f"{NO_MAIL},billing.delete_invoice.1=401"),
        2,
    ),
    Case(
        "other-write-preserved",
        Run(RUNTIME, "billing.create_invoice.1=422,crm.set_order_status.1=meddled"),
        Run("credit-late-push", "crm.set_ticket_status.1=meddled", f"{SCRIPT}, given up after 3"),
        2,
    ),
    Case("mail-taken-unheard", Run(RUNTIME, "mail.send.1=lost"), Run(RUNTIME, NO_MAIL), 1),
    *(
        Case(
            f"agent-gave-up-at-depth-{depth}",
            Run(AGENT, script=f"{SCRIPT}, given up after {depth}"),
            Run(AGENT, script=f"{SCRIPT}, given up after {depth % 4 + 1}"),
            1,
        )
        for depth in range(1, 5)
    ),
    Case(
        "agent-gave-up-at-depth-0",
        Run(AGENT, "crm.get_order.1=422", f"{SCRIPT}, given up after 1"),
        Run(AGENT, "crm.get_order.1=422", SCRIPT),
        0,
    ),
    Case(
        "replanned-after-recovery",
        Run(AGENT, "journal.append.1=crash-before", OTHERWISE),
        Run(AGENT, "journal.append.1=crash-before", SCRIPT),
        1,
    ),
)


def known(subject: Subject) -> dict[str, Sometimes]:
    return {one.slug: one for one in subject.sometimes}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_a_run_reaches_it(case: Case, ran: Ran, subject: SubjectOf) -> None:
    one = known(subject(case.reaching.scenario))[case.slug]
    assert one.reached(ran(*case.reaching)) == len(one.stages)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_a_run_that_comes_near_does_not(case: Case, ran: Ran, subject: SubjectOf) -> None:
    one = known(subject(case.short.scenario))[case.slug]
    assert one.reached(ran(*case.short)) == case.met < len(one.stages)


@pytest.mark.parametrize("name", [RUNTIME, AGENT])
def test_a_run_without_faults_reaches_none(name: str, ran: Ran, subject: SubjectOf) -> None:
    history = ran(name)
    assert [one.slug for one in subject(name).sometimes if one.reached(history) == len(one.stages)] == []


def test_a_call_that_has_two_effects_under_one_key_was_not_absorbed() -> None:
    def stubborn(world: Any) -> str:
        for _ in range(2):
            with suppress(OSError):
                world.direct.shop.buy(item="tea", key="k")
                return "completed"
        return "raised"

    with Runner(WorldHandle({"shop": Shop()}), CallableDriver(stubborn)) as runner:
        twin = runner.run(OPAQUE, EMPTY)
        history = runner.run(OPAQUE, Plan.parse("shop.buy.1=key-expired"), twin)

    assert len(history.effects) == 2
    reached = {one.slug: one.reached(history) for one in sometimes()}
    assert (reached["duplicate-absorbed"], reached["key-expired"]) == (1, 2)


def test_each_of_the_catalogue_has_a_case(subject: SubjectOf) -> None:
    assert {case.slug for case in CASES} == set(known(subject(AGENT)))


def test_no_two_have_the_same_slug() -> None:
    for scenario in scenarios().values():
        found = [one.slug for one in sometimes(scenario.scripts)]
        assert len(set(found)) == len(found)
