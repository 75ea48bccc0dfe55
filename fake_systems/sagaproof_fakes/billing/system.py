"""Billing put together from its parts, with the invariants that hold after each commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from sagaproof import invariant
from sagaproof_fakes._money import is_currency
from sagaproof_fakes._records import Row
from sagaproof_fakes.billing._set_up import SetUp

__all__ = ["Billing"]

_MONEY = ("total", "amount_paid", "authorized", "captured", "refunded", "amount")


class Billing(SetUp):
    """Billing with customers, invoices, payments and credits; set it up with `add_customer` and the like."""

    name: ClassVar[str] = "billing"
    hosts: ClassVar[tuple[str, ...]] = ("billing.test",)

    @invariant
    def money_is_whole_and_never_negative(self) -> str | None:
        """Each amount is an int of at least 0, and has a currency beside it."""
        for row in self._money_rows():
            for field in _MONEY:
                value = row.get(field, 0)
                if value.__class__ is not int or value < 0:
                    return f"{row['id']} has {value!r} as its {field}"
            if not is_currency(row["currency"]):
                return f"{row['id']} has the currency {row['currency']!r}"
        return None

    @invariant
    def refunds_stay_within_captures(self) -> str | None:
        """No payment is captured beyond its authorization, none refunded beyond its capture."""
        back: Counter[tuple[str, int]] = Counter()
        for line in self.refunds.rows.values():
            back[line["payment"], line["capture"]] += line["amount"]
        for row in self.payments.rows.values():
            refunded, captured, authorized = row["refunded"], row["captured"], row["authorized"]
            if not refunded <= captured <= authorized:
                return f"{row['id']}: refunded {refunded}, captured {captured}, authorized {authorized}"
            if row["status"] != "authorized" and back[row["id"], row["captures"]] != refunded:
                return f"{row['id']}: refund lines are {back[row['id'], row['captures']]}, not {refunded}"
        return None

    @invariant
    def invoices_add_up(self) -> str | None:
        """What an invoice says is paid is what its payments hold; it is paid exactly when that is all."""
        held: Counter[str] = Counter()
        for row in self.payments.rows.values():
            if row["invoice"] is not None:
                held[row["invoice"]] += row["captured"] - row["refunded"]
        for invoice, row in self.invoices.rows.items():
            paid, total = row["amount_paid"], row["total"]
            if paid != held[invoice] or paid > total:
                return f"{invoice}: {paid} of {total} paid, but its payments hold {held[invoice]}"
            if (row["status"] == "paid") != (paid == total):
                return f"{invoice} is {row['status']} with {paid} of {total} paid"
        return None

    @invariant
    def each_reversed_credit_has_one_reversal_line(self) -> str | None:
        """A credit is reversed exactly if one line over the same amount says so."""
        lines = self.credits.where(kind="reversal")
        reversals = {line["credit"]: line for line in lines}
        if len(reversals) < len(lines):
            return "a credit has two reversal lines"
        for row in self._credit_lines():
            line = reversals.pop(row["id"], None)
            if (line is not None) != (row["status"] == "reversed"):
                return f"{row['id']} is {row['status']} with {'a' if line else 'no'} reversal line"
            if line is not None and line["amount"] != row["amount"]:
                return f"{row['id']} over {row['amount']} was reversed over {line['amount']}"
        return f"{next(iter(reversals.values()))['id']} reverses no credit" if reversals else None

    @invariant
    def credits_stay_within_their_invoice(self) -> str | None:
        """What stands as credit on an invoice is at most its total."""
        for invoice in {row["invoice"] for row in self._credit_lines()} - {None}:
            if self._credited(invoice) > self.invoices[invoice]["total"]:
                return f"{invoice} is credited with {self._credited(invoice)} and has less as its total"
        return None

    def _money_rows(self) -> Iterator[Row]:
        for table in (self.invoices, self.payments, self.refunds, self.credits):
            yield from table.rows.values()
