"""What billing promises: states that only move as they may, money that adds up, undos that leave no trace."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sagaproof_fakes.billing
from sagaproof._model.diff import differences
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.delivery import Delivery
from sagaproof.errors import UsageError
from sagaproof.testing import check_system
from sagaproof_fakes.billing import Billing

DAY_S = 24 * 3600.0

EXAMPLES: dict[str, dict[str, Any]] = {
    "create_customer": {"name": "Grace Hopper", "currency": "EUR"},
    "set_customer_email": {"customer_id": "ada", "email": "ada@example.org"},
    "get_customer": {"customer_id": "ada"},
    "list_customers": {"email": "ada@example.com"},
    "create_invoice": {"customer": "ada", "total": 5000, "currency": "usd"},
    "void_invoice": {"invoice_id": "open"},
    "mark_uncollectible": {"invoice_id": "open"},
    "pay_invoice": {"invoice_id": "open"},
    "get_invoice": {"invoice_id": "open"},
    "list_invoices": {"customer": "ada", "status": "open"},
    "authorize_payment": {"customer": "ada", "amount": 700},
    "capture_payment": {"payment_id": "held", "amount": 600},
    "charge": {"customer": "ada", "amount": 700, "reference": "4921"},
    "get_payment": {"payment_id": "taken"},
    "list_payments": {"customer": "ada"},
    "list_refunds": {"payment": "taken"},
    "issue_credit": {"customer": "ada", "amount": 250000, "reason": "late"},
    "issue_credits": {"items": [{"customer": "ada", "amount": 100 + n} for n in range(3)]},
    "get_credit": {"credit_id": "old"},
    "list_credits": {"customer": "ada", "reference": "4921"},
}

# Its undo makes an invoice void, and what was there before was a draft: see the tests of invoices.
NOT_PUT_BACK = ("finalize_invoice",)

REFUSED: dict[str, list[dict[str, Any]]] = {
    "create_customer": [{"name": "Ada", "currency": "dollars"}],
    "delete_customer": [{"customer_id": "ada"}, {"customer_id": "nobody"}],
    "set_customer_email": [{"customer_id": "nobody", "email": None}],
    "create_invoice": [
        {"customer": "ada", "total": 0},
        {"customer": "nobody", "total": 1},
        {"customer": "ada", "total": 1, "currency": "eur"},
        {"customer": "ada", "total": "1.00"},
    ],
    "delete_invoice": [{"invoice_id": i} for i in ("open", "paid", "lost", "nothing")],
    "finalize_invoice": [{"invoice_id": i} for i in ("open", "paid", "lost", "nothing")],
    "void_invoice": [{"invoice_id": i} for i in ("draft", "paid", "nothing")],
    "pay_invoice": [
        {"invoice_id": "draft"},
        {"invoice_id": "paid"},
        {"invoice_id": "open", "amount": 10001},
        {"invoice_id": "open", "amount": 0},
    ],
    "mark_uncollectible": [{"invoice_id": i} for i in ("draft", "paid", "lost")],
    "reopen_invoice": [{"invoice_id": i} for i in ("draft", "paid", "open")],
    "authorize_payment": [{"customer": "ada", "amount": -1}, {"customer": "nobody", "amount": 1}],
    "capture_payment": [{"payment_id": "taken"}, {"payment_id": "held", "amount": 10001}],
    "void_payment": [{"payment_id": "taken"}, {"payment_id": "nothing"}],
    "refund_payment": [{"payment_id": "held"}, {"payment_id": "taken", "amount": 10001}],
    "issue_credit": [
        {"customer": "ada", "amount": 0},
        {"customer": "ada", "amount": 1, "invoice": "draft"},
        {"customer": "ada", "amount": 10001, "invoice": "open"},
        {"customer": "bob", "amount": 1, "invoice": "open"},
    ],
    "reverse_credit": [{"credit_id": "spent"}, {"credit_id": "nothing"}],
}


def fill(billing: Billing) -> None:
    billing.add_customer("ada", name="Ada Lovelace", email="ada@example.com")
    billing.add_customer("bob")
    for status in ("draft", "open", "paid"):
        billing.add_invoice(status, status=status)
    billing.add_invoice("lost", status="uncollectible")
    billing.add_payment("held", status="authorized")
    billing.add_payment("taken")
    billing.add_credit("old", amount="40.00", reference="4921")
    billing.add_credit("spent")
    billing.spend_credit("spent")


@pytest.fixture
def world() -> WorldHandle:
    world = WorldHandle({"billing": Billing()})
    fill(world.billing)
    return world


def left_different(world: WorldHandle) -> list[str]:
    return [str(d) for d in differences(world.state.log, world.state.tables, ())]


def broken(world: WorldHandle) -> dict[str, str]:
    return dict(world.billing.broken())


def test_billing_keeps_the_contract() -> None:
    report = check_system(Billing, examples=EXAMPLES, setup=fill, refused=REFUSED, skip=NOT_PUT_BACK)
    assert set(Billing().operations()) - set(report.exercised) == set()


def test_the_table_in_the_docstring_is_the_api() -> None:
    rows = re.findall(
        r"^\| (\w+) \| ([A-Z]+ \S+) \| (\d) \|(.*?)\|$", sagaproof_fakes.billing.__doc__ or "", re.MULTILINE
    )
    declared = {n: d for n, d in Billing().declarations().items() if d.route and n != "lookup"}
    undone_by: dict[str, list[str]] = {}
    for name, known in declared.items():
        for target in known.operation.undoes:
            undone_by.setdefault(target, []).append(name)
        if known.operation.restores:
            undone_by[name] = ["the address it had"]
    assert {(n, r, int(c), u.strip()) for n, r, c, u in rows} == {
        (n, d.route, d.operation.cls, ", ".join(undone_by.get(n, []))) for n, d in declared.items()
    }


# Invoices ------------------------------------------------------------------------------------------------


def test_a_finalized_invoice_is_voided_and_nothing_is_left_of_it(world: WorldHandle) -> None:
    direct = world.direct.billing
    invoice = direct.create_invoice(customer="ada", total=5000)["id"]
    assert left_different(world) == [f"billing.invoices[{invoice}] was added"]
    assert direct.finalize_invoice(invoice_id=invoice)["status"] == "open"
    assert direct.void_invoice(invoice_id=invoice)["status"] == "void"
    assert left_different(world) == []


def test_undos_in_reverse_order_take_back_a_whole_invoice(world: WorldHandle) -> None:
    direct = world.direct.billing
    invoice = direct.create_invoice(customer="ada", total=5000)["id"]
    direct.finalize_invoice(invoice_id=invoice)
    payment = direct.pay_invoice(invoice_id=invoice)["payment_id"]
    credit = direct.issue_credit(customer="ada", amount=5000, invoice=invoice)["id"]

    direct.reverse_credit(credit_id=credit)
    direct.refund_payment(payment_id=payment)
    direct.void_invoice(invoice_id=invoice)
    direct.delete_invoice(invoice_id=invoice)

    assert left_different(world) == []
    undone = {e.undoes for e in world.state.standing.effects if e.undoes is not None}
    assert undone == {e.id for e in world.state.standing.effects if e.undoes is None}


def test_a_draft_that_was_finalized_is_never_a_draft_again(world: WorldHandle) -> None:
    world.direct.billing.finalize_invoice(invoice_id="draft")
    with pytest.raises(ToolError, match="409 not_draft"):
        world.direct.billing.delete_invoice(invoice_id="draft")
    world.direct.billing.void_invoice(invoice_id="draft")
    assert left_different(world) == ["billing.invoices[draft] was removed"]


def test_a_deleted_invoice_is_not_found_any_more(world: WorldHandle) -> None:
    world.direct.billing.delete_invoice(invoice_id="draft")
    with pytest.raises(ToolError, match="404 not_found"):
        world.direct.billing.get_invoice(invoice_id="draft")
    assert "draft" not in [row["id"] for row in world.direct.billing.list_invoices()["data"]]


def test_a_paid_invoice_is_credited_and_not_voided(world: WorldHandle) -> None:
    with pytest.raises(ToolError, match="409 invoice_paid"):
        world.direct.billing.void_invoice(invoice_id="paid")
    world.direct.billing.issue_credit(customer="ada", amount=10000, invoice="paid")
    assert world.billing.invoices["paid"]["status"] == "paid"


def test_no_more_than_its_total_is_credited_on_an_invoice(world: WorldHandle) -> None:
    direct = world.direct.billing
    first = direct.issue_credit(customer="ada", amount=6000, invoice="paid")["id"]
    with pytest.raises(ToolError, match="422 amount_too_large"):
        direct.issue_credit(customer="ada", amount=6000, invoice="paid")
    direct.reverse_credit(credit_id=first)
    direct.issue_credit(customer="ada", amount=6000, invoice="paid")


def test_an_invoice_on_which_money_or_credit_stands_is_not_voided(world: WorldHandle) -> None:
    direct = world.direct.billing
    credit = direct.issue_credit(customer="ada", amount=1, invoice="open")["id"]
    with pytest.raises(ToolError, match="409 credited"):
        direct.void_invoice(invoice_id="open")
    direct.reverse_credit(credit_id=credit)
    payment = direct.pay_invoice(invoice_id="open", amount=1)["payment_id"]
    with pytest.raises(ToolError, match="409 partly_paid"):
        direct.void_invoice(invoice_id="open")
    direct.refund_payment(payment_id=payment)
    assert direct.void_invoice(invoice_id="open")["status"] == "void"


def test_an_invoice_is_paid_when_all_its_parts_are_and_open_again_when_one_goes_back(
    world: WorldHandle,
) -> None:
    direct = world.direct.billing
    first = direct.pay_invoice(invoice_id="open", amount=4000)
    assert (first["status"], first["amount_remaining"]) == ("open", 6000)
    second = direct.pay_invoice(invoice_id="open")
    assert (second["status"], second["amount"]) == ("paid", 6000)
    direct.refund_payment(payment_id=first["payment_id"])
    assert direct.get_invoice(invoice_id="open")["amount_remaining"] == 4000
    assert direct.get_invoice(invoice_id="open")["status"] == "open"


def test_numbers_of_invoices_have_no_gap(world: WorldHandle) -> None:
    direct = world.direct.billing
    direct.void_invoice(invoice_id="open")
    direct.delete_invoice(invoice_id="open")
    numbers = [world.billing.invoices[i]["number"] for i in ("open", "paid", "lost")]
    assert numbers == ["INV-0001", "INV-0002", "INV-0003"]
    assert direct.finalize_invoice(invoice_id="draft")["number"] == "INV-0004"


# Payments ------------------------------------------------------------------------------------------------


def test_a_payment_is_captured_up_to_what_was_authorized_and_once(world: WorldHandle) -> None:
    direct = world.direct.billing
    payment = direct.authorize_payment(customer="ada", amount=700)["id"]
    with pytest.raises(ToolError, match=r"422 amount_too_large: 7\.01 USD is more than 7\.00 USD"):
        direct.capture_payment(payment_id=payment, amount=701)
    assert direct.capture_payment(payment_id=payment, amount=600)["amount"] == 600
    with pytest.raises(ToolError, match="409 already_captured"):
        direct.capture_payment(payment_id=payment, amount=100)


def test_refunds_add_up_to_the_capture_and_no_further(world: WorldHandle) -> None:
    direct = world.direct.billing
    assert direct.refund_payment(payment_id="taken", amount=4000)["status"] == "captured"
    with pytest.raises(ToolError, match="422 amount_too_large"):
        direct.refund_payment(payment_id="taken", amount=6001)
    rest = direct.refund_payment(payment_id="taken")
    assert (rest["amount"], rest["status"]) == (6000, "refunded")
    assert [line["amount"] for line in direct.list_refunds(payment="taken")["data"]] == [4000, 6000]


def test_a_part_that_was_refunded_does_not_undo_the_whole(world: WorldHandle) -> None:
    payment = world.direct.billing.charge(customer="ada", amount=700)["id"]
    world.direct.billing.refund_payment(payment_id=payment, amount=699)
    assert left_different(world) == [f"billing.payments[{payment}] was added"]
    world.direct.billing.refund_payment(payment_id=payment)
    assert left_different(world) == []


@pytest.mark.parametrize("and_void", [False, True])
def test_nothing_is_left_of_an_authorization_whose_capture_was_refunded(
    world: WorldHandle, *, and_void: bool
) -> None:
    direct = world.direct.billing
    payment = direct.authorize_payment(customer="ada", amount=700)["id"]
    direct.capture_payment(payment_id=payment)
    with pytest.raises(ToolError, match="409 captured"):
        direct.void_payment(payment_id=payment)
    direct.refund_payment(payment_id=payment)
    if and_void:
        direct.void_payment(payment_id=payment)
    assert left_different(world) == []


def test_a_reusable_authorization_is_as_before_once_its_capture_is_refunded(world: WorldHandle) -> None:
    direct = world.direct.billing
    for _ in range(2):
        direct.capture_payment(payment_id="held")
        assert left_different(world) != []
        direct.refund_payment(payment_id="held")
        assert left_different(world) == []
    with pytest.raises(ToolError, match="409 already_refunded"):
        direct.refund_payment(payment_id="held")
    assert direct.void_payment(payment_id="held")["status"] == "void"


# Credits -------------------------------------------------------------------------------------------------


def test_a_reversal_is_a_line_beside_the_credit(world: WorldHandle) -> None:
    direct = world.direct.billing
    credit = direct.issue_credit(customer="ada", amount=250000)["id"]
    lines = len(world.billing.credits)
    line = direct.reverse_credit(credit_id=credit)
    assert len(world.billing.credits) == lines + 1
    assert (line["credit_id"], line["amount"], line["status"]) == (credit, 250000, "reversed")
    assert direct.get_credit(credit_id=credit)["status"] == "reversed"
    assert left_different(world) == []


def test_the_balance_of_a_customer_is_what_they_can_still_spend(world: WorldHandle) -> None:
    direct = world.direct.billing
    assert direct.get_customer(customer_id="ada")["credit_balance"] == 4000
    credit = direct.issue_credit(customer="ada", amount=100)["id"]
    assert direct.get_customer(customer_id="ada")["credit_balance"] == 4100
    direct.reverse_credit(credit_id=credit)
    assert direct.get_customer(customer_id="ada")["credit_balance"] == 4000


def test_a_credit_that_was_spent_meanwhile_cannot_be_reversed(world: WorldHandle) -> None:
    credit = world.direct.billing.issue_credit(customer="ada", amount=100)["id"]
    world.billing.spend_credit(credit)
    with pytest.raises(ToolError, match="409 credit_spent"):
        world.direct.billing.reverse_credit(credit_id=credit)


def test_a_reversal_line_is_no_credit(world: WorldHandle) -> None:
    line = world.direct.billing.reverse_credit(credit_id="old")["id"]
    with pytest.raises(ToolError, match="404 not_found"):
        world.direct.billing.reverse_credit(credit_id=line)
    assert line not in [row["id"] for row in world.direct.billing.list_credits()["data"]]


# Undos that come again, or for nothing -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("undo", "args", "code"),
    [
        ("delete_invoice", {"invoice_id": "draft"}, "already_deleted"),
        ("void_invoice", {"invoice_id": "open"}, "already_void"),
        ("reopen_invoice", {"invoice_id": "lost"}, "already_open"),
        ("void_payment", {"payment_id": "held"}, "already_void"),
        ("refund_payment", {"payment_id": "taken"}, "already_refunded"),
        ("reverse_credit", {"credit_id": "old"}, "already_reversed"),
        ("delete_customer", {"customer_id": "carl"}, "already_deleted"),
    ],
)
def test_an_undo_that_comes_again_changes_nothing_and_says_so(
    world: WorldHandle, undo: str, args: dict[str, Any], code: str
) -> None:
    world.billing.add_customer("carl")
    call = getattr(world.direct.billing, undo)
    call(**args)
    effects = len(world.state.standing.effects)
    with pytest.raises(ToolError, match=f"409 {code}"):
        call(**args)
    with pytest.raises(ToolError, match="404 not_found"):
        call(**dict.fromkeys(args, "never"))
    assert len(world.state.standing.effects) == effects


# Keys ----------------------------------------------------------------------------------------------------


def test_a_key_replays_the_first_answer_until_it_is_forgotten(world: WorldHandle) -> None:
    def issue(amount: int) -> str:
        answer = world.direct.billing.issue_credit(customer="ada", amount=amount, key="k")
        return str(answer["id"])

    first = issue(100)
    world.clock.advance(DAY_S - 1)
    assert issue(100) == first
    with pytest.raises(ToolError, match="400 key_reused"):
        issue(101)
    world.clock.advance(2)
    assert issue(101) != first


def test_a_fenced_key_refuses_a_late_arrival(world: WorldHandle) -> None:
    assert world.direct.billing.undo_by_key("charge", "k") == {"state": "fenced", "undone": False}
    with pytest.raises(ToolError, match="409 fenced"):
        world.direct.billing.charge(customer="ada", amount=100, key="k")
    assert left_different(world) == []


@pytest.mark.parametrize(
    ("forward", "args", "field", "gone_status"),
    [
        ("create_invoice", {"customer": "ada", "total": 1}, "id", "deleted"),
        ("authorize_payment", {"customer": "ada", "amount": 1}, "id", "void"),
        ("charge", {"customer": "ada", "amount": 1}, "id", "refunded"),
        ("pay_invoice", {"invoice_id": "open"}, "payment_id", "refunded"),
        ("issue_credit", {"customer": "ada", "amount": 1}, "id", "reversed"),
    ],
)
def test_an_undo_by_key_finds_what_the_lost_answer_named(
    world: WorldHandle, forward: str, args: dict[str, Any], field: str, gone_status: str
) -> None:
    made = getattr(world.direct.billing, forward)(**args, key="k")[field]
    found = world.direct.billing.lookup(operation=forward, key="k")
    assert (found["state"], found["answer"][field]) == ("applied", made)

    undone = world.direct.billing.undo_by_key(forward, "k")
    assert (undone["state"], undone["status"]) == ("undone", gone_status)
    assert left_different(world) == []


# Invariants ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "key", "fields", "invariant"),
    [
        ("credits", "old", {"amount": -1}, "money_is_whole_and_never_negative"),
        ("credits", "old", {"amount": 1.0}, "money_is_whole_and_never_negative"),
        ("credits", "old", {"currency": "USD"}, "money_is_whole_and_never_negative"),
        ("payments", "taken", {"captured": 10001}, "refunds_stay_within_captures"),
        ("payments", "taken", {"refunded": 1}, "refunds_stay_within_captures"),
        ("invoices", "open", {"amount_paid": 1}, "invoices_add_up"),
        ("invoices", "open", {"status": "paid"}, "invoices_add_up"),
        ("invoices", "paid", {"status": "open"}, "invoices_add_up"),
        ("credits", "old", {"status": "reversed"}, "each_reversed_credit_has_one_reversal_line"),
        ("credits", "old", {"invoice": "open", "amount": 10001}, "credits_stay_within_their_invoice"),
    ],
)
def test_a_row_that_breaks_the_rules_is_named(
    world: WorldHandle, table: str, key: str, fields: dict[str, Any], invariant: str
) -> None:
    assert broken(world) == {}
    getattr(world.billing, table).patch(key, **fields)
    assert re.search(rf"\b({key}|{fields.get('invoice', key)})\b", broken(world)[invariant])


@pytest.mark.parametrize("fields", [{"amount": 3999}, {"credit": "nothing"}])
def test_a_reversal_line_that_fits_no_credit_is_named(world: WorldHandle, fields: dict[str, Any]) -> None:
    line = world.direct.billing.reverse_credit(credit_id="old")["id"]
    world.billing.credits.patch(line, **fields)
    assert "each_reversed_credit_has_one_reversal_line" in broken(world)


def test_a_second_reversal_line_is_named(world: WorldHandle) -> None:
    line = world.direct.billing.reverse_credit(credit_id="old")
    world.billing.credits.put("crr_9", {**world.billing.credits[line["id"]], "id": "crr_9"})
    assert "two reversal lines" in broken(world)["each_reversed_credit_has_one_reversal_line"]


INVOICES = st.sampled_from(["draft", "open", "paid", "lost", "in_1", "in_2"])
PAYMENTS = st.sampled_from(["held", "taken", "pay_1", "pay_2", "pay_3"])
AMOUNTS = st.integers(-1, 12000)
CALLS = st.one_of(
    st.tuples(
        st.just("create_invoice"), st.fixed_dictionaries({"customer": st.just("ada"), "total": AMOUNTS})
    ),
    st.tuples(
        st.sampled_from(
            ["delete_invoice", "finalize_invoice", "void_invoice", "mark_uncollectible", "reopen_invoice"]
        ),
        st.fixed_dictionaries({"invoice_id": INVOICES}),
    ),
    st.tuples(
        st.just("pay_invoice"),
        st.fixed_dictionaries({"invoice_id": INVOICES}, optional={"amount": AMOUNTS}),
    ),
    st.tuples(
        st.sampled_from(["charge", "authorize_payment"]),
        st.fixed_dictionaries({"customer": st.just("ada"), "amount": AMOUNTS}),
    ),
    st.tuples(
        st.sampled_from(["capture_payment", "refund_payment"]),
        st.fixed_dictionaries({"payment_id": PAYMENTS}, optional={"amount": AMOUNTS}),
    ),
    st.tuples(st.just("void_payment"), st.fixed_dictionaries({"payment_id": PAYMENTS})),
    st.tuples(
        st.just("issue_credit"),
        st.fixed_dictionaries(
            {"customer": st.just("ada"), "amount": AMOUNTS}, optional={"invoice": INVOICES}
        ),
    ),
    st.tuples(
        st.just("reverse_credit"),
        st.fixed_dictionaries({"credit_id": st.sampled_from(["old", "spent", "cr_1", "cr_2"])}),
    ),
)


@given(st.lists(CALLS, max_size=25))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_books_balance_after_any_sequence_of_calls(calls: list[tuple[str, dict[str, Any]]]) -> None:
    billing = Billing()
    fill(billing)
    for operation, args in calls:
        handled = billing.handle(Delivery(operation, args))
        assert handled.status < 500
        assert list(billing.broken()) == []


# Customers and set-up ------------------------------------------------------------------------------------


def test_a_write_for_another_version_is_refused(world: WorldHandle) -> None:
    direct = world.direct.billing
    version = str(direct.get_customer(customer_id="ada")["version"])
    changed = direct.set_customer_email(customer_id="ada", email="a@example.org", if_match=version)
    assert changed["previous"] == {"email": "ada@example.com"}
    with pytest.raises(ToolError, match="412 version_mismatch"):
        direct.set_customer_email(customer_id="ada", email="ada@example.com", if_match=version)


def test_a_customer_is_deleted_when_nothing_of_theirs_stands(world: WorldHandle) -> None:
    direct = world.direct.billing
    customer = direct.create_customer(name="Grace Hopper", currency="JPY")
    assert customer["currency"] == "jpy"
    payment = direct.charge(customer=customer["id"], amount=500)["id"]
    with pytest.raises(ToolError, match=f"409 customer_in_use: .* still has {payment}"):
        direct.delete_customer(customer_id=customer["id"])
    direct.refund_payment(payment_id=payment)
    direct.delete_customer(customer_id=customer["id"])
    with pytest.raises(ToolError, match="404 not_found"):
        direct.get_customer(customer_id=customer["id"])
    assert left_different(world) == []


def test_made_up_customers_are_the_same_in_every_run() -> None:
    first, second = Billing(), Billing()
    rows = [first.add_customer() for _ in range(3)]
    assert [second.add_customer() for _ in range(3)] == rows
    assert len({row["name"] for row in rows}) == 3
    assert all(re.fullmatch(r"[^@\s]+@example\.com", row["email"]) for row in rows)


def test_an_id_that_set_up_took_is_not_given_again(world: WorldHandle) -> None:
    assert world.billing.add_credit("cr_1", customer="bob")["customer"] == "bob"
    assert world.direct.billing.issue_credit(customer="ada", amount=1)["id"] == "cr_2"


def test_set_up_takes_money_as_text_and_makes_the_customer_it_needs() -> None:
    billing = Billing()
    billing.add_customer("kenji", currency="JPY")
    assert billing.add_invoice(total="2500")["total"] == 2500
    assert billing.add_invoice(total="2500", status="paid")["customer"] == "kenji"
    assert list(billing.broken()) == []
    assert Billing().add_invoice(total="2500.00")["customer"] == "cus_1"


def test_set_up_that_makes_no_sense_is_refused_with_advice(world: WorldHandle) -> None:
    with pytest.raises(UsageError, match=r"'adda'.*Did you mean 'ada'"):
        world.billing.add_invoice(customer="adda")
    with pytest.raises(UsageError, match=r"Did you mean 'open'"):
        world.billing.add_credit(invoice="opne")
    with pytest.raises(UsageError, match="is a float"):
        world.billing.add_credit(amount=25.0)
    with pytest.raises(UsageError, match="above zero"):
        world.billing.add_payment(amount=0)
    with pytest.raises(UsageError, match="'ada' among its customers already"):
        world.billing.add_customer("ada")
    with pytest.raises(UsageError, match=r"'payed'.*Did you mean 'paid'"):
        world.billing.add_invoice(status="payed")
    with pytest.raises(UsageError, match="no credit 'spent' that could be spent"):
        world.billing.spend_credit("spent")


def test_set_up_is_no_part_of_the_run(world: WorldHandle) -> None:
    assert left_different(world) == []
    assert world.state.standing.effects == []
