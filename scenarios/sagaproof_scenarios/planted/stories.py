"""The order that all planted sagas are about, their steps, and how a saga becomes a scenario.

A new customer is entered and drafted an invoice, the amount is booked in the ledger, a mail goes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sagaproof import Scenario, World
from sagaproof_scenarios.planted.reference import Journal, Reference, Step

__all__ = [
    "BOOKING",
    "CUSTOMER",
    "FULL",
    "INVOICE",
    "MAIL",
    "MAIL_EARLY",
    "PAIR",
    "SYSTEMS",
    "saga",
    "set_up",
]

CUSTOMER = Step(
    "customer",
    "billing",
    "create_customer",
    lambda _: {"name": "Kim", "email": "kim@example.test", "reference": "4921"},
    ("delete_customer", "customer_id"),
)
INVOICE = Step(
    "invoice",
    "billing",
    "create_invoice",
    lambda answers: {"customer": answers["customer"]["id"], "total": 250000},
    ("delete_invoice", "invoice_id"),
)
BOOKING = Step(
    "booking",
    "ledger",
    "post_transfer",
    lambda _: {"debit": "receivables", "credit": "sales", "amount": 250000, "reference": "4921"},
    ("reverse_transfer", "transfer_id"),
)
MAIL = Step(
    "mail",
    "mail",
    "send",
    lambda _: {"to": "kim@example.test", "subject": "Order 4921", "body": "Your invoice is ready."},
    pivot=True,
)

PAIR = (CUSTOMER, INVOICE)
FULL = (CUSTOMER, INVOICE, MAIL)
MAIL_EARLY = (CUSTOMER, MAIL, BOOKING)

SYSTEMS = ("billing", "ledger", "mail", "desk")


def set_up(world: World) -> None:
    """Two accounts, and one with a quota where deals are sold; all else is made by the saga."""
    world.ledger.add_account("receivables")
    world.ledger.add_account("sales", kind="income")
    if "sales" in dir(world):
        world.sales.add_account("acme")


def saga(
    name: str,
    story: str,
    made: type[Reference],
    steps: Sequence[Step] = PAIR,
    *,
    systems: Sequence[str] = SYSTEMS,
    recovers: bool = False,
    **options: Any,
) -> Scenario:
    """The scenario of a saga that is run, and after a crash recovered if it `recovers`."""
    journal: Journal = []

    def body(world: World) -> str:
        journal.clear()
        set_up(world)
        return made(world, steps, journal).run()

    def recover(world: World) -> str:
        return made(world, steps, journal).recover()

    return Scenario(name, story, tuple(systems), body=body, recover=recover if recovers else None, **options)
