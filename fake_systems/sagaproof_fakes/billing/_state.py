"""The rules of billing: for each transition of an invoice, a payment or a credit, the fields that change.

Pure: a row in, the changed fields out, or a `Refusal`. A code that starts with `already_` says that what was
asked for is so. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from sagaproof import Refusal
from sagaproof_fakes._money import pretty
from sagaproof_fakes._records import Row

__all__ = [
    "capture",
    "delete_invoice",
    "finalize",
    "pay",
    "positive",
    "refund",
    "reopen",
    "reverse",
    "unpay",
    "void_invoice",
    "void_payment",
    "write_off",
]

Fields: TypeAlias = dict[str, Any]
_Otherwise: TypeAlias = Mapping[str, tuple[str, str]]


def positive(amount: int, what: str) -> int:
    """The amount itself, if it is one that money can have."""
    if amount <= 0:
        raise Refusal(422, "invalid_amount", f"{what} is {amount}: it must be at least 1 minor unit")
    return amount


def finalize(invoice: Row, number: str) -> Fields:
    """A draft becomes an open invoice with a number."""
    _demand(invoice, ("draft",), "be finalized", {"open": ("already_open", ""), "paid": ("already_paid", "")})
    return {"status": "open", "number": number}


def void_invoice(invoice: Row, credited: int) -> Fields:
    """An open or uncollectible invoice on which no money and no credit stands becomes void."""
    _demand(
        invoice,
        ("open", "uncollectible"),
        "be voided",
        {
            "void": ("already_void", ""),
            "deleted": ("already_deleted", ""),
            "draft": ("not_finalized", "delete it instead"),
            "paid": ("invoice_paid", "issue a credit, or refund its payments first"),
        },
    )
    if invoice["amount_paid"]:
        raise Refusal(409, "partly_paid", f"{invoice['id']} is partly paid: refund its payments first")
    if credited:
        raise Refusal(409, "credited", f"{invoice['id']} has a credit: reverse it first")
    return {"status": "void"}


def delete_invoice(invoice: Row) -> Fields:
    """A draft, or what is left of a void invoice, is struck off."""
    numbered = ("not_draft", "void it instead")
    _demand(
        invoice,
        ("draft", "void"),
        "be deleted",
        {
            "deleted": ("already_deleted", ""),
            "open": numbered,
            "uncollectible": numbered,
            "paid": ("invoice_paid", "issue a credit, or refund its payments first"),
        },
    )
    return {"status": "deleted"}


def write_off(invoice: Row) -> Fields:
    """An open invoice is marked as uncollectible."""
    _demand(invoice, ("open",), "be written off", {"uncollectible": ("already_uncollectible", "")})
    return {"status": "uncollectible"}


def reopen(invoice: Row) -> Fields:
    """An uncollectible invoice is open again."""
    _demand(invoice, ("uncollectible",), "be reopened", {"open": ("already_open", "")})
    return {"status": "open"}


def pay(invoice: Row, amount: int | None) -> tuple[Fields, int]:
    """A payment comes in: all that is left, or part of it."""
    _demand(invoice, ("open",), "be paid", {"paid": ("already_paid", "")})
    left = invoice["total"] - invoice["amount_paid"]
    taken = left if amount is None else positive(amount, "amount")
    _at_most(taken, left, invoice, "is left to pay")
    status = "paid" if taken == left else "open"
    return {"status": status, "amount_paid": invoice["amount_paid"] + taken}, taken


def unpay(invoice: Row, amount: int) -> Fields:
    """Money of a payment went back: a paid invoice is open again."""
    status = "open" if invoice["status"] == "paid" else invoice["status"]
    return {"status": status, "amount_paid": invoice["amount_paid"] - amount}


def capture(payment: Row, amount: int | None) -> Fields:
    """An authorized payment is taken, at most as much as was authorized; the rest is released."""
    _demand(
        payment,
        ("authorized",),
        "be captured",
        {"captured": ("already_captured", ""), "refunded": ("refunded", "authorize a new one")},
    )
    taken = payment["authorized"] if amount is None else positive(amount, "amount")
    _at_most(taken, payment["authorized"], payment, "is authorized")
    return {"status": "captured", "captured": taken, "captures": payment["captures"] + 1}


def void_payment(payment: Row) -> Fields:
    """An authorization is released, or a payment that was refunded in full is closed."""
    _demand(
        payment,
        ("authorized", "refunded"),
        "be voided",
        {"void": ("already_void", ""), "captured": ("captured", "refund it instead")},
    )
    return {"status": "void"}


def refund(payment: Row, amount: int | None) -> tuple[Fields, int]:
    """Money goes back: all that is left of what was captured, or part of it.

    A reusable authorization is as before once its capture has been refunded in full.
    """
    already = ("already_refunded", "")
    if payment["status"] == "authorized" and payment["captures"]:
        raise Refusal(409, *_text(payment, "be refunded", already))
    _demand(
        payment,
        ("captured",),
        "be refunded",
        {
            "refunded": already,
            "void": ("already_void", ""),
            "authorized": ("not_captured", "void it instead"),
        },
    )
    left = payment["captured"] - payment["refunded"]
    back = left if amount is None else positive(amount, "amount")
    _at_most(back, left, payment, "is left to refund")
    if back < left:
        return {"refunded": payment["refunded"] + back}, back
    if payment["reusable"]:
        return {"status": "authorized", "captured": 0, "refunded": 0}, back
    return {"status": "refunded", "refunded": payment["captured"]}, back


def reverse(credit: Row) -> Fields:
    """An issued credit is taken back, unless its money has been spent."""
    _demand(
        credit,
        ("issued",),
        "be reversed",
        {"reversed": ("already_reversed", ""), "spent": ("credit_spent", "a person has to get it back")},
    )
    return {"status": "reversed"}


def _demand(row: Row, allowed: tuple[str, ...], doing: str, otherwise: _Otherwise) -> None:
    """Refuse, unless the row is in one of these states; `otherwise` has code and advice for the others."""
    status = row["status"]
    if status not in allowed:
        raise Refusal(409, *_text(row, doing, otherwise.get(status, (f"not_{allowed[0]}", ""))))


def _text(row: Row, doing: str, why: tuple[str, str]) -> tuple[str, str]:
    code, advice = why
    tail = f": {advice}" if advice else ""
    return code, f"{row['id']} is {row['status']} and cannot {doing}{tail}"


def _at_most(amount: int, limit: int, row: Row, what: str) -> None:
    if amount > limit:
        asked, most = pretty(amount, row["currency"]), pretty(limit, row["currency"])
        raise Refusal(422, "amount_too_large", f"{asked} is more than {most}, which {what} on {row['id']}")
