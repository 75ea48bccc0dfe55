"""What the ledger promises: it balances, it only grows, and a reversal is no erasure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sagaproof_fakes.ledger
from sagaproof._model.diff import differences
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.delivery import Delivery
from sagaproof.errors import UsageError
from sagaproof.testing import check_system
from sagaproof_fakes.ledger import Ledger

DAY_S = 24 * 3600.0

THREE_WAYS = [
    {"account": "cash", "direction": "debit", "amount": 1000},
    {"account": "sales", "direction": "credit", "amount": 840},
    {"account": "tax", "direction": "credit", "amount": 160},
]

EXAMPLES: dict[str, dict[str, Any]] = {
    "create_account": {"name": "Refunds", "kind": "expense", "currency": "USD"},
    "get_account": {"account_id": "cash"},
    "list_accounts": {"currency": "usd"},
    "post_transfer": {"debit": "cash", "credit": "sales", "amount": 250000},
    "create_pending": {"debit": "cash", "credit": "wallet", "amount": 500, "reference": "4921"},
    "post_transfers": {"items": [{"debit": "cash", "credit": "sales", "amount": n} for n in (1, 2, 3)]},
    "get_transfer": {"transfer_id": "tr_1"},
    "list_transfers": {"reference": "old"},
    "list_entries": {"account": "cash"},
    "get_trial_balance": {},
}

# A pending transfer that was posted is used up, whatever becomes of what was posted: see the tests below.
NOT_PUT_BACK = ("post_pending",)

REFUSED: dict[str, list[dict[str, Any]]] = {
    "create_account": [
        {"name": "x", "kind": "odd"},
        {"name": "x", "currency": "dollars"},
        {"name": "x", "account": "cash"},
    ],
    "close_account": [{"account_id": "cash"}, {"account_id": "nothing"}],
    "post_transfer": [
        {"debit": "cash", "credit": "sales"},
        {"debit": "cash", "credit": "sales", "amount": 0},
        {"debit": "cash", "credit": "sales", "amount": -1},
        {"debit": "cash", "credit": "cash", "amount": 1},
        {"debit": "cash", "credit": "nothing", "amount": 1},
        {"debit": "cash", "credit": "sales", "amount": 1, "currency": "eur"},
        {"debit": "cash", "credit": "euros", "amount": 1},
        {"debit": "wallet", "credit": "cash", "amount": 10001},
        {"postings": THREE_WAYS[:1]},
        {"postings": THREE_WAYS[:2]},
        {"postings": [{**THREE_WAYS[0], "direction": "left"}, *THREE_WAYS[1:]]},
        {"postings": [{**THREE_WAYS[0], "amount": "1000"}, *THREE_WAYS[1:]]},
        {"postings": ["cash", "sales"]},
    ],
    "reverse_transfer": [{"transfer_id": "tr_2"}, {"transfer_id": "nothing"}],
    "create_pending": [{"debit": "wallet", "credit": "cash", "amount": 10001}],
    "post_pending": [
        {"pending_id": "tr_1"},
        {"pending_id": "tr_2", "amount": 10001},
        {"pending_id": "tr_2", "amount": 0},
    ],
    "void_pending": [{"pending_id": "tr_1"}, {"pending_id": "nothing"}],
}


def fill(ledger: Ledger) -> None:
    ledger.add_account("cash")
    ledger.add_account("sales", kind="income")
    ledger.add_account("tax", kind="liability")
    ledger.add_account("wallet", kind="liability", overdraft=False)
    ledger.add_account("euros", currency="EUR")
    ledger.add_transfer(debit="cash", credit="wallet", amount="100.00", reference="old")
    ledger.add_pending(debit="cash", credit="sales", amount="100.00")


@pytest.fixture
def world() -> WorldHandle:
    world = WorldHandle({"ledger": Ledger()})
    fill(world.ledger)
    return world


def left_different(world: WorldHandle) -> list[str]:
    return [str(d) for d in differences(world.state.log, world.state.tables, ())]


def balances(ledger: Ledger) -> dict[str, int]:
    return {account: ledger.get_account(account_id=account)["balance"] for account in ledger.accounts.rows}


def test_the_ledger_keeps_the_contract() -> None:
    report = check_system(Ledger, examples=EXAMPLES, setup=fill, refused=REFUSED, skip=NOT_PUT_BACK)
    assert set(Ledger().operations()) - set(report.exercised) == set()


def test_the_table_in_the_docstring_is_the_api() -> None:
    rows = re.findall(
        r"^\| (\w+) \| ([A-Z]+ \S+) \| (\d) \|(.*?)\|$", sagaproof_fakes.ledger.__doc__ or "", re.MULTILINE
    )
    declared = {n: d for n, d in Ledger().declarations().items() if d.route and n != "lookup"}
    undone_by = {target: n for n, d in declared.items() for target in d.operation.undoes}
    assert {(n, r, int(c), u.strip()) for n, r, c, u in rows} == {
        (n, d.route, d.operation.cls, undone_by.get(n, "")) for n, d in declared.items()
    }


def test_no_route_edits_or_deletes() -> None:
    methods = {known.route.split()[0] for known in Ledger().declarations().values() if known.route}
    assert methods == {"GET", "POST"}


# Double entry --------------------------------------------------------------------------------------------


def test_a_transfer_moves_money_between_the_sides_of_two_accounts(world: WorldHandle) -> None:
    before = balances(world.ledger)
    world.direct.ledger.post_transfer(debit="cash", credit="sales", amount=250000)
    after = balances(world.ledger)
    assert {a: after[a] - before[a] for a in after if after[a] != before[a]} == {
        "cash": 250000,
        "sales": 250000,
    }


def test_postings_of_one_transfer_count_together_or_not_at_all(world: WorldHandle) -> None:
    transfer = world.direct.ledger.post_transfer(postings=THREE_WAYS)
    assert transfer["amount"] == 1000
    before = balances(world.ledger)
    with pytest.raises(ToolError, match="422 unbalanced: debits and credits differ by 1 usd"):
        world.direct.ledger.post_transfer(postings=[{**THREE_WAYS[0], "amount": 1001}, *THREE_WAYS[1:]])
    assert balances(world.ledger) == before
    world.direct.ledger.reverse_transfer(transfer_id=transfer["id"])
    assert balances(world.ledger) == {**before, "cash": 10000, "sales": 0, "tax": 0}


def test_a_transfer_over_two_currencies_balances_in_each(world: WorldHandle) -> None:
    world.ledger.add_account("euro-sales", kind="income", currency="eur")
    euros = [
        {"account": "euros", "direction": "debit", "amount": 7},
        {"account": "euro-sales", "direction": "credit", "amount": 7, "currency": "EUR"},
    ]
    transfer = world.direct.ledger.post_transfer(postings=[*THREE_WAYS, *euros])
    assert (transfer["amount"], transfer["currency"]) == (None, None)
    with pytest.raises(ToolError, match="422 unbalanced"):
        world.direct.ledger.post_transfer(postings=[THREE_WAYS[0], {**euros[1], "amount": 1000}])
    sums = world.direct.ledger.get_trial_balance()["data"]
    assert [(s["currency"], s["debits"] - s["credits"]) for s in sums] == [("eur", 0), ("usd", 0)]


def test_an_account_without_overdraft_never_falls_below_what_is_held(world: WorldHandle) -> None:
    direct = world.direct.ledger
    held = direct.create_pending(debit="wallet", credit="cash", amount=9000)["id"]
    assert direct.get_account(account_id="wallet")["available"] == 1000
    with pytest.raises(ToolError, match="409 insufficient_funds"):
        direct.post_transfer(debit="wallet", credit="cash", amount=1001)
    direct.void_pending(pending_id=held)
    direct.post_transfer(debit="wallet", credit="cash", amount=10000)


# Reversals -----------------------------------------------------------------------------------------------


def test_a_reversal_leaves_no_difference_and_a_longer_history(world: WorldHandle) -> None:
    before, entries = balances(world.ledger), len(world.ledger.entries)
    transfer = world.direct.ledger.post_transfer(debit="cash", credit="sales", amount=700)["id"]
    assert left_different(world) == [f"ledger.transfers[{transfer}] was added"]
    world.direct.ledger.reverse_transfer(transfer_id=transfer)
    assert left_different(world) == []
    assert balances(world.ledger) == before
    assert len(world.ledger.entries) == entries + 2


def test_a_transfer_is_reversed_once_and_a_reversal_never(world: WorldHandle) -> None:
    direct = world.direct.ledger
    reversal = direct.reverse_transfer(transfer_id="tr_1")
    assert (reversal["of"], reversal["amount"]) == ("tr_1", 10000)
    with pytest.raises(ToolError, match="409 already_reversed"):
        direct.reverse_transfer(transfer_id="tr_1")
    with pytest.raises(ToolError, match="409 is_reversal"):
        direct.reverse_transfer(transfer_id=reversal["id"])


def test_a_transfer_whose_money_has_moved_on_cannot_be_reversed(world: WorldHandle) -> None:
    transfer = world.direct.ledger.post_transfer(debit="cash", credit="wallet", amount=500)["id"]
    world.ledger.add_transfer(debit="wallet", credit="sales", amount="101.00")
    with pytest.raises(ToolError, match="409 insufficient_funds"):
        world.direct.ledger.reverse_transfer(transfer_id=transfer)


# Pending transfers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("amount", "posted"), [(None, 900), (900, 900), (300, 300)])
def test_what_is_pending_is_posted_up_to_its_amount_and_the_rest_released(
    world: WorldHandle, amount: int | None, posted: int
) -> None:
    direct = world.direct.ledger
    pending = direct.create_pending(debit="wallet", credit="cash", amount=900, reference="4921")["id"]
    posting = {} if amount is None else {"amount": amount}
    transfer = direct.post_pending(pending_id=pending, **posting)
    assert (transfer["amount"], transfer["reference"], transfer["pending_id"]) == (posted, "4921", pending)
    wallet = direct.get_account(account_id="wallet")
    assert (wallet["balance"], wallet["available"]) == (10000 - posted, 10000 - posted)


RESOLVED: dict[str, Callable[[Any], object]] = {
    "posted": lambda direct: direct.post_pending(pending_id="tr_2"),
    "void": lambda direct: direct.void_pending(pending_id="tr_2"),
}


@pytest.mark.parametrize(
    ("first", "then", "code"),
    [
        ("posted", "posted", "already_posted"),
        ("posted", "void", "pending_settled"),
        ("void", "void", "already_void"),
        ("void", "posted", "pending_void"),
    ],
)
def test_what_is_pending_is_resolved_once(world: WorldHandle, first: str, then: str, code: str) -> None:
    RESOLVED[first](world.direct.ledger)
    effects = len(world.state.standing.effects)
    with pytest.raises(ToolError, match=f"409 {code}"):
        RESOLVED[then](world.direct.ledger)
    assert len(world.state.standing.effects) == effects


def test_nothing_is_left_of_a_pending_transfer_that_was_posted_and_reversed(world: WorldHandle) -> None:
    direct = world.direct.ledger
    pending = direct.create_pending(debit="cash", credit="sales", amount=900)["id"]
    transfer = direct.post_pending(pending_id=pending, amount=400)["id"]
    direct.reverse_transfer(transfer_id=transfer)
    assert left_different(world) == []


def test_a_pending_transfer_that_was_there_before_is_used_up(world: WorldHandle) -> None:
    transfer = world.direct.ledger.post_pending(pending_id="tr_2")["id"]
    world.direct.ledger.reverse_transfer(transfer_id=transfer)
    assert left_different(world) == ["ledger.transfers[tr_2] was removed"]


def test_only_a_simple_pending_transfer_is_posted_in_part(world: WorldHandle) -> None:
    pending = world.direct.ledger.create_pending(postings=THREE_WAYS)["id"]
    with pytest.raises(ToolError, match="422 not_divisible"):
        world.direct.ledger.post_pending(pending_id=pending, amount=500)
    assert world.direct.ledger.post_pending(pending_id=pending)["amount"] == 1000


# Keys ----------------------------------------------------------------------------------------------------


def test_a_key_replays_the_first_answer_until_it_is_forgotten(world: WorldHandle) -> None:
    def post(amount: int) -> str:
        answer = world.direct.ledger.post_transfer(debit="cash", credit="sales", amount=amount, key="k")
        return str(answer["id"])

    first, entries = post(100), len(world.ledger.entries)
    world.clock.advance(DAY_S - 1)
    assert post(100) == first
    with pytest.raises(ToolError, match="400 key_reused"):
        post(101)
    assert len(world.ledger.entries) == entries
    world.clock.advance(2)
    assert post(101) != first


def test_a_fenced_key_refuses_a_late_arrival(world: WorldHandle) -> None:
    entries = len(world.ledger.entries)
    world.direct.ledger.undo_by_key("create_pending", "k")
    assert world.direct.ledger.lookup(operation="create_pending", key="k")["state"] == "fenced"
    with pytest.raises(ToolError, match="409 fenced"):
        world.direct.ledger.create_pending(debit="cash", credit="sales", amount=1, key="k")
    assert len(world.ledger.entries) == entries


@pytest.mark.parametrize(
    ("forward", "args", "kind"),
    [
        ("post_transfer", {"debit": "cash", "credit": "sales", "amount": 1}, "reversal"),
        ("create_pending", {"debit": "cash", "credit": "sales", "amount": 1}, "pending"),
        ("post_pending", {"pending_id": "tr_2", "amount": 1}, "reversal"),
    ],
)
def test_an_undo_by_key_finds_what_the_lost_answer_named(
    world: WorldHandle, forward: str, args: dict[str, Any], kind: str
) -> None:
    before = balances(world.ledger)
    getattr(world.direct.ledger, forward)(**args, key="k")
    undone = world.direct.ledger.undo_by_key(forward, "k")
    assert (undone["state"], undone["kind"]) == ("undone", kind)
    assert balances(world.ledger) == before


# The journal ---------------------------------------------------------------------------------------------


def test_each_entry_seals_the_one_before_it(world: WorldHandle) -> None:
    world.direct.ledger.reverse_transfer(transfer_id="tr_1")
    entries = world.direct.ledger.list_entries()["data"]
    assert [e["seq"] for e in entries] == [1, 2, 3]
    assert [e["kind"] for e in entries] == ["transfer", "pending", "reversal"]
    before = "0" * 64
    for entry in entries:
        sealed = {k: v for k, v in entry.items() if k not in {"hash", "previous"}}
        text = before + json.dumps(sealed, sort_keys=True, separators=(",", ":"))
        assert (entry["previous"], entry["hash"]) == (before, hashlib.sha256(text.encode()).hexdigest())
        before = entry["hash"]


def test_entries_are_read_by_account_and_by_transfer(world: WorldHandle) -> None:
    direct = world.direct.ledger
    direct.post_pending(pending_id="tr_2")
    assert [e["seq"] for e in direct.list_entries(transfer="tr_2")["data"]] == [2, 3]
    assert [e["seq"] for e in direct.list_entries(account="wallet")["data"]] == [1]


def _altered(ledger: Ledger, seq: str, **fields: Any) -> None:
    ledger.entries.put(seq, {**ledger.entries[seq], **fields})


def _resealed(ledger: Ledger, kind: str, transfer: str, of: str | None, amount: int) -> None:
    """An entry that is sealed as it must be and yet wrong."""
    lines = [
        {"account": "cash", "direction": "debit", "amount": amount, "currency": "usd"},
        {"account": "sales", "direction": "credit", "amount": 10001, "currency": "usd"},
    ]
    content = {
        "seq": len(ledger.entries) + 1,
        "kind": kind,
        "transfer": transfer,
        "of": of,
        "postings": lines,
        "at": "",
    }
    previous = next(reversed(ledger.entries.rows.values()))["hash"]
    text = previous + json.dumps(content, sort_keys=True, separators=(",", ":"))
    seal = {"previous": previous, "hash": hashlib.sha256(text.encode()).hexdigest()}
    ledger.entries.put(str(content["seq"]), {**content, **seal})


TAMPERED: list[tuple[str, Callable[[Ledger], object]]] = [
    ("entries_are_an_unbroken_chain", lambda b: _altered(b, "1", at="yesterday")),
    ("entries_are_an_unbroken_chain", lambda b: _altered(b, "2", hash="0" * 64)),
    ("entries_are_an_unbroken_chain", lambda b: b.entries.drop("1")),
    ("balances_are_the_fold_of_the_entries", lambda b: b.entries.drop("2")),
    ("transfers_are_the_fold_of_the_entries", lambda b: b.entries.drop("2")),
    ("transfers_are_the_fold_of_the_entries", lambda b: b.transfers.patch("tr_1", status="reversed")),
    ("transfers_are_the_fold_of_the_entries", lambda b: b.transfers.drop("tr_1")),
    ("balances_are_the_fold_of_the_entries", lambda b: b.accounts.patch("cash", debits=0)),
    ("balances_are_the_fold_of_the_entries", lambda b: b.accounts.drop("cash")),
    ("the_trial_balance_is_zero", lambda b: b.accounts.patch("cash", debits=0)),
    ("no_account_is_overdrawn_that_must_not_be", lambda b: b.accounts.patch("wallet", debits=10001)),
    ("debits_equal_credits_in_each_entry", lambda b: _resealed(b, "transfer", "tr_9", None, 1)),
    ("a_pending_transfer_is_resolved_at_most_once", lambda b: _resealed(b, "void", "tr_1", "tr_1", 10000)),
    ("a_pending_transfer_is_resolved_at_most_once", lambda b: _resealed(b, "void", "tr_2", "tr_2", 10001)),
    ("a_pending_transfer_is_resolved_at_most_once", lambda b: _resealed(b, "post", "tr_9", "tr_2", 10001)),
    ("a_pending_transfer_is_resolved_at_most_once", lambda b: _resealed(b, "post", "tr_9", "tr_1", 10001)),
    (
        "a_reversal_is_the_counter_entry_of_one_transfer",
        lambda b: _resealed(b, "reversal", "tr_9", "tr_1", 10001),
    ),
    (
        "a_reversal_is_the_counter_entry_of_one_transfer",
        lambda b: _resealed(b, "reversal", "tr_9", "tr_2", 10001),
    ),
]


@pytest.mark.parametrize(("invariant", "tamper"), TAMPERED)
def test_a_ledger_that_was_tampered_with_is_told(
    world: WorldHandle, invariant: str, tamper: Callable[[Ledger], object]
) -> None:
    assert list(world.ledger.broken()) == []
    tamper(world.ledger)
    assert invariant in dict(world.ledger.broken())


def test_the_fold_follows_a_ledger_that_is_set_back(world: WorldHandle) -> None:
    snapshot = world.ledger.snapshot()
    world.direct.ledger.reverse_transfer(transfer_id="tr_1")
    assert list(world.ledger.broken()) == []
    world.ledger.restore(snapshot)
    assert list(world.ledger.broken()) == []
    world.direct.ledger.post_pending(pending_id="tr_2")
    assert list(world.ledger.broken()) == []
    world.ledger.reset()
    assert list(world.ledger.broken()) == []


ACCOUNTS = st.sampled_from(["cash", "sales", "tax", "wallet", "euros"])
TRANSFERS = st.integers(1, 8).map("tr_{}".format)
CALLS = st.one_of(
    st.tuples(
        st.sampled_from(["post_transfer", "create_pending"]),
        st.fixed_dictionaries({"debit": ACCOUNTS, "credit": ACCOUNTS, "amount": st.integers(-1, 20000)}),
    ),
    st.tuples(st.just("reverse_transfer"), st.fixed_dictionaries({"transfer_id": TRANSFERS})),
    st.tuples(st.just("void_pending"), st.fixed_dictionaries({"pending_id": TRANSFERS})),
    st.tuples(
        st.just("post_pending"),
        st.fixed_dictionaries({"pending_id": TRANSFERS}, optional={"amount": st.integers(0, 12000)}),
    ),
)


@given(st.lists(CALLS, max_size=25))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_books_balance_after_any_sequence_of_calls(calls: list[tuple[str, dict[str, Any]]]) -> None:
    ledger = Ledger()
    fill(ledger)
    for operation, args in calls:
        before, entries = balances(ledger), len(ledger.entries)
        handled = ledger.handle(Delivery(operation, args))
        assert list(ledger.broken()) == []
        assert len(ledger.entries) == entries + handled.ok
        assert handled.ok or balances(ledger) == before


# Accounts and set-up -------------------------------------------------------------------------------------


def test_an_account_is_closed_when_it_is_empty_and_takes_nothing_then(world: WorldHandle) -> None:
    direct = world.direct.ledger
    account = direct.create_account(name="Refunds", kind="expense", account="refunds")["id"]
    transfer = direct.post_transfer(debit=account, credit="cash", amount=5)["id"]
    with pytest.raises(ToolError, match="409 balance_not_zero"):
        direct.close_account(account_id=account)
    direct.reverse_transfer(transfer_id=transfer)
    direct.close_account(account_id=account)
    assert left_different(world) == []
    with pytest.raises(ToolError, match="409 already_closed"):
        direct.close_account(account_id=account)
    with pytest.raises(ToolError, match="409 account_closed"):
        direct.post_transfer(debit=account, credit="cash", amount=5)


def test_set_up_that_makes_no_sense_is_refused_with_advice(world: WorldHandle) -> None:
    with pytest.raises(UsageError, match=r"'cahs'.*Did you mean 'cash'"):
        world.ledger.add_transfer(debit="cahs", credit="sales", amount="1.00")
    with pytest.raises(UsageError, match="is a float"):
        world.ledger.add_pending(debit="cash", credit="sales", amount=1.0)
    with pytest.raises(UsageError, match="no kind of account"):
        world.ledger.add_account("x", kind="assets")
    with pytest.raises(UsageError, match="'cash' among its accounts already"):
        world.ledger.add_account("cash")


def test_set_up_is_no_part_of_the_run(world: WorldHandle) -> None:
    assert left_different(world) == []
    assert world.state.standing.effects == []
