"""What the CRM promises: moves that can be taken back, versions, contacts, and people who are made up."""

from __future__ import annotations

import re
from typing import Any

import pytest

import sagaproof_fakes.crm
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError
from sagaproof.testing import check_system
from sagaproof_fakes.crm import Crm

EXAMPLES: dict[str, dict[str, Any]] = {
    "create_contact": {"email": "grace@example.com", "name": "Grace Hopper"},
    "get_contact": {"contact_id": "ada"},
    "list_contacts": {"email": "ada@example.com"},
    "get_order": {"order_id": "4921"},
    "list_orders": {"status": "pending", "contact": "ada"},
    "set_order_status": {"order_id": "4921", "status": "confirmed"},
    "fulfil_order": {"order_id": "4922"},
    "get_ticket": {"ticket_id": "9104"},
    "list_tickets": {"status": "open", "order": "4921"},
    "set_ticket_priority": {"ticket_id": "9104", "priority": "urgent"},
    "set_ticket_status": {"ticket_id": "9104", "status": "solved"},
    "assign_ticket": {"ticket_id": "9104", "assignee": "kim"},
    "add_note": {"ticket_id": "9104", "text": "called back"},
    "add_notes": {"ticket_ids": ["9104", "9105", "9106"], "text": "called back"},
    "list_notes": {"ticket_id": "9104"},
    "add_public_reply": {"ticket_id": "9104", "text": "It is on its way."},
    "list_replies": {"ticket_id": "9104"},
}

REFUSED: dict[str, list[dict[str, Any]]] = {
    "create_contact": [{"email": "ADA@example.com", "name": "Ada"}, {"email": "nowhere", "name": "N"}],
    "delete_contact": [{"contact_id": "ada"}],
    "set_order_status": [
        {"order_id": "4921", "status": "fulfilled"},
        {"order_id": "4922", "status": "fulfilled"},
        {"order_id": "4923", "status": "confirmed"},
        {"order_id": "4921", "status": "lost"},
    ],
    "fulfil_order": [{"order_id": "4921"}, {"order_id": "4920"}],
    "set_ticket_priority": [{"ticket_id": "9104", "priority": "utmost"}],
    "set_ticket_status": [{"ticket_id": "9104", "status": "closed"}],
    "add_note": [{"ticket_id": "9105", "text": "late"}],
    "add_notes": [{"ticket_ids": ["9105", "none", 7], "text": "late"}, {"ticket_ids": [], "text": "late"}],
    "delete_notes": [{"batch": "none"}],
    "add_public_reply": [{"ticket_id": "9105", "text": "late"}],
}


def fill(crm: Crm) -> None:
    crm.add_contact("ada", name="Ada Lovelace", email="ada@example.com")
    crm.add_order("4921", total="2500.00", contact="ada")
    crm.add_order("4922", total="19.99", status="confirmed")
    crm.add_order("4923", total="5.00", status="fulfilled")
    crm.add_ticket("9104", order="4921")
    crm.add_ticket("9105", status="closed")
    crm.add_ticket("9106", status="pending", assignee="kim")


@pytest.fixture
def world() -> WorldHandle:
    world = WorldHandle({"crm": Crm()})
    fill(world.crm)
    return world


def test_the_crm_keeps_the_contract() -> None:
    report = check_system(Crm, examples=EXAMPLES, setup=fill, refused=REFUSED)
    assert report.exercised == tuple(sorted(Crm().operations()))


def test_the_table_in_the_docstring_is_the_api() -> None:
    rows = re.findall(
        r"^\| (\w+) \| ([A-Z]+ \S+) \| (\d) \|", sagaproof_fakes.crm.__doc__ or "", re.MULTILINE
    )
    declared = {n: d for n, d in Crm().declarations().items() if d.route and n != "lookup"}
    assert {(n, r, int(c)) for n, r, c in rows} == {
        (n, d.route, d.operation.cls) for n, d in declared.items()
    }


# Orders --------------------------------------------------------------------------------------------------


def test_an_order_holds_its_total_in_minor_units(world: WorldHandle) -> None:
    assert world.direct.crm.get_order(order_id="4921")["total"] == 250000


@pytest.mark.parametrize("old", ["pending", "confirmed", "cancelled"])
@pytest.mark.parametrize("new", ["pending", "confirmed", "cancelled"])
def test_every_move_that_an_order_can_make_by_its_status_can_be_taken_back(
    world: WorldHandle, old: str, new: str
) -> None:
    world.crm.add_order("1", total="1.00", status=old)
    answer = world.direct.crm.set_order_status(order_id="1", status=new)
    assert answer["previous"] == {"status": old}
    world.direct.crm.set_order_status(order_id="1", status=old)
    assert world.crm.orders["1"]["status"] == old


@pytest.mark.parametrize("status", ["pending", "confirmed", "cancelled"])
def test_a_fulfilled_order_stays_fulfilled(world: WorldHandle, status: str) -> None:
    with pytest.raises(ToolError, match="409 illegal_transition"):
        world.direct.crm.set_order_status(order_id="4923", status=status)


def test_to_confirm_cannot_be_taken_back_once_the_order_was_fulfilled(world: WorldHandle) -> None:
    world.direct.crm.set_order_status(order_id="4921", status="confirmed", key="k")
    world.direct.crm.fulfil_order(order_id="4921")
    with pytest.raises(ToolError, match="409 changed_since"):
        world.direct.crm.undo_by_key("set_order_status", "k")
    assert world.crm.orders["4921"]["status"] == "fulfilled"


# Tickets -------------------------------------------------------------------------------------------------


def test_a_ticket_that_was_closed_meanwhile_takes_nothing_any_more(world: WorldHandle) -> None:
    world.direct.crm.set_ticket_status(ticket_id="9104", status="solved")
    world.crm.close_ticket("9104")
    with pytest.raises(ToolError, match="409 ticket_closed"):
        world.direct.crm.set_ticket_status(ticket_id="9104", status="open")


def test_a_ticket_without_contact_is_from_the_contact_of_its_order(world: WorldHandle) -> None:
    assert world.direct.crm.get_ticket(ticket_id="9104")["contact"] == "ada"


def test_a_ticket_can_be_taken_from_everybody_again(world: WorldHandle) -> None:
    assert world.direct.crm.assign_ticket(ticket_id="9104", assignee="kim")["previous"] == {"assignee": None}
    assert world.direct.crm.assign_ticket(ticket_id="9104", assignee=None)["assignee"] is None


def test_notes_are_for_colleagues_and_replies_for_the_customer(world: WorldHandle) -> None:
    world.direct.crm.add_note(ticket_id="9104", text="rude")
    world.direct.crm.add_public_reply(ticket_id="9104", text="Dear Ada")
    assert [n["text"] for n in world.direct.crm.list_notes(ticket_id="9104")["data"]] == ["rude"]
    assert [r["text"] for r in world.direct.crm.list_replies(ticket_id="9104")["data"]] == ["Dear Ada"]


def test_a_reply_cannot_be_unsaid(world: WorldHandle) -> None:
    world.direct.crm.add_public_reply(ticket_id="9104", text="Dear Ada", key="k")
    with pytest.raises(ToolError, match="409 irreversible"):
        world.direct.crm.undo_by_key("add_public_reply", "k")


# Versions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("if_match", ["1", '"1"', '"7", "1"', "*"])
def test_a_write_for_the_present_version_is_accepted(world: WorldHandle, if_match: str) -> None:
    row = world.direct.crm.set_ticket_status(ticket_id="9104", status="solved", if_match=if_match)
    assert row["version"] == 2


@pytest.mark.parametrize(
    ("operation", "args"),
    [
        ("set_ticket_status", {"ticket_id": "9104", "status": "solved"}),
        ("set_ticket_priority", {"ticket_id": "9104", "priority": "high"}),
        ("assign_ticket", {"ticket_id": "9104", "assignee": "kim"}),
        ("set_order_status", {"order_id": "4921", "status": "confirmed"}),
        ("fulfil_order", {"order_id": "4922"}),
        ("delete_contact", {"contact_id": "ada"}),
    ],
)
def test_a_write_for_another_version_is_refused(
    world: WorldHandle, operation: str, args: dict[str, Any]
) -> None:
    with pytest.raises(ToolError, match="412 version_mismatch"):
        getattr(world.direct.crm, operation)(if_match='"2"', **args)


def test_without_if_match_the_last_write_wins(world: WorldHandle) -> None:
    world.direct.crm.assign_ticket(ticket_id="9104", assignee="kim")
    world.direct.crm.assign_ticket(ticket_id="9104", assignee="lee")
    assert world.crm.tickets["9104"]["assignee"] == "lee"


def test_a_write_of_the_same_value_is_none(world: WorldHandle) -> None:
    before = world.crm.tickets["9104"]
    world.direct.crm.set_ticket_status(ticket_id="9104", status="open")
    assert world.crm.tickets["9104"] is before


# Contacts ------------------------------------------------------------------------------------------------


def test_an_address_that_is_taken_is_refused_with_the_id_that_has_it(world: WorldHandle) -> None:
    with pytest.raises(ToolError, match=r"409 contact_exists: contact exists, with id ada"):
        world.direct.crm.create_contact(email="Ada@Example.com", name="A.")


def test_a_contact_can_be_created_again_after_it_was_deleted(world: WorldHandle) -> None:
    first = world.direct.crm.create_contact(email="g@example.com", name="G")
    world.direct.crm.delete_contact(contact_id=first["id"])
    assert world.direct.crm.create_contact(email="g@example.com", name="G")["id"] != first["id"]


def test_a_contact_that_has_orders_by_now_cannot_be_deleted(world: WorldHandle) -> None:
    contact = world.direct.crm.create_contact(email="g@example.com", name="G", key="k")["id"]
    world.crm.add_order("1", total="1.00", contact=contact)
    with pytest.raises(ToolError, match="409 contact_in_use"):
        world.direct.crm.undo_by_key("create_contact", "k")


# Set-up --------------------------------------------------------------------------------------------------


def test_what_a_set_up_leaves_out_is_the_same_in_every_run() -> None:
    first, second = Crm(), Crm()
    for crm in (first, second):
        crm.add_order("1", total="1.00")
        crm.add_ticket("2", order="1")
    second.reset()
    second.ids.reset()
    second.add_order("1", total="1.00")
    second.add_ticket("2", order="1")
    assert first.snapshot() == second.snapshot()


def test_people_who_are_made_up_all_have_addresses_of_their_own() -> None:
    crm = Crm()
    for n in range(500):
        crm.add_contact(str(n))
    crm.contacts.drop("7")
    crm.add_contact("late")
    assert crm.one_contact_per_address() == ""


@pytest.mark.parametrize(
    "wrong",
    [
        lambda crm: crm.add_order("4921", total="1.00"),
        lambda crm: crm.add_order("1", total="1.00", status="lost"),
        lambda crm: crm.add_order("1", total="1.00", contact="nobody"),
        lambda crm: crm.add_order("1", total=1.5),
        lambda crm: crm.add_ticket("1", order="4929"),
        lambda crm: crm.add_ticket("1", priority="utmost"),
        lambda crm: crm.add_contact("ada"),
    ],
)
def test_a_set_up_that_cannot_be_is_refused(world: WorldHandle, wrong: Any) -> None:
    before = world.crm.snapshot()
    with pytest.raises(UsageError):
        wrong(world.crm)
    assert world.crm.snapshot() == before


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (lambda crm: crm.contacts.patch("ada", email=crm.contacts["con_1"]["email"]), "have one address"),
        (lambda crm: crm.orders.patch("4921", total=2500.0), "has a total of 2500.0"),
        (lambda crm: crm.orders.patch("4921", status="lost"), "is 'lost'"),
        (lambda crm: crm.contacts.drop("ada"), "'ada', who is not there"),
        (lambda crm: crm.tickets.patch("9104", contact="x"), "'x', who is not there"),
        (lambda crm: crm.tickets.patch("9104", order="x"), "'x', which is not there"),
        (lambda crm: crm.notes.put("n", {"id": "n", "ticket": "x"}), "on ticket 'x'"),
    ],
)
def test_an_invariant_sees_a_broken_row(world: WorldHandle, broken: Any, says: str) -> None:
    broken(world.crm)
    assert says in " ".join(detail for _, detail in world.crm.broken())
