"""A saga that is told by events: a payment's receipt is booked once billing says that it has the money."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, TypeAlias

from sagaproof import World
from sagaproof_scenarios.planted.reference import Journal, Reference, Step
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER

__all__ = ["PAID", "PAID_BOOKED", "PAYMENT", "RECEIPT", "Event", "Listens"]

Event: TypeAlias = dict[str, Any]

PAYMENT = Step(
    "payment",
    "billing",
    "charge",
    lambda answers: {"customer": answers["customer"]["id"], "amount": 250000, "reference": "4921"},
    ("refund_payment", "payment_id"),
)
RECEIPT = Step(
    "receipt",
    "ledger",
    "post_transfer",
    lambda _: {"debit": "receivables", "credit": "sales", "amount": 250000, "reference": "4921-receipt"},
    ("reverse_transfer", "transfer_id"),
)

PAID = (CUSTOMER, PAYMENT, BOOKING)
PAID_BOOKED = (CUSTOMER, PAYMENT, RECEIPT)

_WAIT_S = 1.0
"""How long it waits for the event after a payment, before it goes on without."""


class Listens(Reference):
    """Does a step when the event comes that asks for it, and itself if none comes in time.

    An event changes nothing if it comes when the saga does not go forward any more, or before the payment is
    settled by its own books: then the saga gets there by itself.
    """

    def __init__(self, world: World, steps: Sequence[Step], journal: Journal) -> None:
        super().__init__(world, steps, journal)
        self.received = False
        world.on_event(self.on_event, "payment.captured")

    def on_event(self, _event: Event) -> str | None:
        """Look how the saga stands; only then do what the event asks for."""
        payment = self.entries.get(PAYMENT.name)
        if self.status == "running" and payment is not None and payment.state == "done":
            self.do(RECEIPT)
        return None

    def do(self, step: Step) -> bool:
        """Wait a moment after a payment. The receipt is tried once, whoever asks for it first."""
        if step is RECEIPT:
            if self.received:
                return self.entries[RECEIPT.name].state == "done"
            self.received = True
        done = super().do(step)
        if done and step is PAYMENT:
            time.sleep(_WAIT_S)
        return done
