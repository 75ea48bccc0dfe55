"""The saga that is timed: eight calls to three systems, over HTTP and directly, and the world around it."""

from __future__ import annotations

from typing import Any, Final

import httpx

from sagaproof._taps.handle import WorldHandle
from sagaproof._world.system import System
from sagaproof_fakes.billing import Billing
from sagaproof_fakes.crm import Crm
from sagaproof_fakes.desk import Desk
from sagaproof_fakes.mail import Mail

REQUESTS: Final[tuple[tuple[str, str, dict[str, Any] | None], ...]] = (
    ("GET", "https://crm.test/tickets/9104", None),
    ("GET", "https://crm.test/orders/4921", None),
    ("GET", "https://crm.test/contacts/cus_7", None),
    ("POST", "https://billing.test/credits", {"customer": "cus_7", "amount": 250000, "reference": "4921"}),
    ("PUT", "https://crm.test/tickets/9104/status", {"status": "solved"}),
    ("POST", "https://crm.test/tickets/9104/notes", {"text": "Credited in full."}),
    ("GET", "https://billing.test/credits/cr_1", None),
    (
        "POST",
        "https://mail.test/messages",
        {"to": "ada@acme.test", "subject": "Your credit", "body": "Done."},
    ),
)
"""The eight calls of a run: four reads, four writes of which one is irreversible."""

ANSWER: Final = {
    "id": "cr_1",
    "kind": "credit",
    "status": "issued",
    "customer": "cus_7",
    "amount": 250000,
    "currency": "EUR",
    "invoice": None,
    "reference": "4921",
    "reason": None,
    "created_at": "2026-01-05T09:00:00Z",
    "updated_at": "2026-01-05T09:00:00Z",
    "version": 1,
}
"""What the transports that always answer the same answer: a body as long as those of the systems."""


def systems() -> dict[str, System]:
    """The four systems of the bundled stories, by name."""
    return {system.name: system for system in (Crm(), Billing(), Mail(), Desk())}


def set_up(world: WorldHandle) -> None:
    """What is there before the first call; a part of each run, and timed with it."""
    world.crm.add_contact("cus_7", name="Ada", email="ada@acme.test")
    world.billing.add_customer("cus_7", name="Ada", email="ada@acme.test")
    world.crm.add_order("4921", total="2500.00", contact="cus_7", status="confirmed")
    world.crm.add_ticket("9104", order="4921")


def over_http(client: httpx.Client) -> None:
    """The eight calls as a production client makes them: send, judge the status, read the JSON."""
    for method, url, body in REQUESTS:
        response = client.request(method, url, json=body)
        response.raise_for_status()
        response.json()


def in_world(world: WorldHandle) -> None:
    """A whole run: the set-up, then the eight calls through the direct tap."""
    set_up(world)
    directly(world)


def directly(world: WorldHandle) -> None:
    """The same eight calls through the direct tap."""
    crm, billing, mail = world.direct.crm, world.direct.billing, world.direct.mail
    crm.get_ticket(ticket_id="9104")
    crm.get_order(order_id="4921")
    crm.get_contact(contact_id="cus_7")
    credit = billing.issue_credit(customer="cus_7", amount=250000, reference="4921")
    crm.set_ticket_status(ticket_id="9104", status="solved")
    crm.add_note(ticket_id="9104", text="Credited in full.")
    billing.get_credit(credit_id=credit["id"])
    mail.send(to="ada@acme.test", subject="Your credit", body="Done.")
