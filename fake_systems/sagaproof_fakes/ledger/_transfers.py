"""Transfers: post, hold as pending, post or void what is pending, reverse by a counter-entry. And reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sagaproof import Refusal, operation
from sagaproof_fakes._records import Row
from sagaproof_fakes.ledger._accounts import Accounts
from sagaproof_fakes.ledger._postings import (
    Posting,
    amount_of,
    as_json,
    check,
    from_json,
    simple,
    turned_round,
)

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Transfers"]


class Transfers(Accounts):
    """The operations on transfers. None edits or deletes: each appends an entry to the journal."""

    @operation(
        cls=4,
        route="POST /transfers",
        status=201,
        ref="id",
        amount="amount",
        meanwhile={"meddled": "_transfer_referred", "consumed": "_account_frozen"},
    )
    def post_transfer(
        self,
        *,
        debit: str | None = None,
        credit: str | None = None,
        amount: int | None = None,
        currency: str | None = None,
        postings: list[Any] | None = None,
        reference: str | None = None,
    ) -> dict[str, Any]:
        """Move money: `amount` onto the debit side of one account and the credit side of another.

        Or all of `postings` (account, direction, amount), at least two, which balance in each currency.
        """
        lines = self._lines(debit, credit, amount, currency, postings)
        self._post(lines)
        return self._booked("transfer", "posted", None, lines, reference)

    @operation(
        cls=4,
        route="POST /transfers/{transfer_id}/reverse",
        ref="transfer_id",
        amount="amount",
        undoes=("post_transfer", "post_pending"),
    )
    def reverse_transfer(self, *, transfer_id: str, reference: str | None = None) -> dict[str, Any]:
        """Take a posted transfer back by its counter-entry, once; both stay in the journal."""
        row = self._find(self.transfers, transfer_id)
        if row["status"] == "reversed":
            raise Refusal(409, "already_reversed", f"{transfer_id} has been reversed")
        if row["kind"] == "reversal":
            raise Refusal(409, "is_reversal", f"{transfer_id} is a reversal itself: post a new transfer")
        if row["kind"] == "pending":
            raise Refusal(
                409, "not_posted", f"{transfer_id} is {row['status']}: only what is posted is reversed"
            )
        lines = turned_round(_postings(row))
        for line in lines:
            if self.accounts[line.account]["status"] == "frozen":
                raise Refusal(409, "account_frozen", f"ledger: account {line.account!r} is frozen")
        self._post(lines)
        self._update(self.transfers, row, {"status": "reversed"})
        booked = self._booked("reversal", "posted", transfer_id, lines, reference)
        return {**booked, "transfer_id": transfer_id}

    @operation(
        cls=4,
        route="POST /pending",
        status=201,
        ref="id",
        amount="amount",
        meanwhile={"meddled": "_transfer_referred", "consumed": "_pending_posted"},
    )
    def create_pending(
        self,
        *,
        debit: str | None = None,
        credit: str | None = None,
        amount: int | None = None,
        currency: str | None = None,
        postings: list[Any] | None = None,
        reference: str | None = None,
    ) -> dict[str, Any]:
        """Hold money for a transfer that is posted or voided later, once."""
        lines = self._lines(debit, credit, amount, currency, postings)
        self._hold(lines)
        return self._booked("pending", "pending", None, lines, reference)

    @operation(
        cls=4,
        route="POST /pending/{pending_id}/post",
        status=201,
        ref="id",
        amount="amount",
        meanwhile={"meddled": "_transfer_referred", "consumed": "_account_frozen"},
    )
    def post_pending(
        self, *, pending_id: str, amount: int | None = None, reference: str | None = None
    ) -> dict[str, Any]:
        """Post what is pending, or `amount` of it, by a transfer with its own id; the rest is released."""
        pending = self._pending(pending_id, "settled", ("already_posted", "has been posted"))
        held = _postings(pending)
        lines = held if amount is None else _part(pending, held, amount)
        self._post(lines, held=held)
        self._update(self.transfers, pending, {"status": "settled"})
        booked = self._booked("transfer", "posted", pending_id, lines, reference or pending["reference"])
        return {**booked, "pending_id": pending_id}

    @operation(
        cls=4,
        route="POST /pending/{pending_id}/void",
        ref="pending_id",
        amount="amount",
        undoes="create_pending",
    )
    def void_pending(self, *, pending_id: str) -> dict[str, Any]:
        """Release what is pending, for good."""
        pending = self._pending(pending_id, "void", ("already_void", "has been voided"))
        held = _postings(pending)
        self._release(held)
        self._append("void", pending_id, pending_id, held)
        return transfer_view(self._update(self.transfers, pending, {"status": "void"}))

    @operation(cls=1, route="GET /transfers/{transfer_id}", ref="transfer_id")
    def get_transfer(self, *, transfer_id: str) -> dict[str, Any]:
        """Read a transfer, a pending one or a reversal."""
        return transfer_view(self._find(self.transfers, transfer_id))

    @operation(cls=1, route="GET /transfers")
    def list_transfers(self, *, reference: str | None = None, status: str | None = None) -> dict[str, Any]:
        """Read the transfers in the order of posting, all or those with a reference or in a state."""
        rows = self.transfers.rows.values()
        return {
            "data": [
                transfer_view(row)
                for row in rows
                if (reference is None or row["reference"] == reference)
                and (status is None or row["status"] == status)
            ]
        }

    @operation(cls=1, route="GET /entries")
    def list_entries(self, *, account: str | None = None, transfer: str | None = None) -> dict[str, Any]:
        """Read the journal from its beginning, all or what touches an account or a transfer."""
        rows = self.entries.rows.values()
        return {
            "data": [
                {**row, "postings": [dict(line) for line in row["postings"]]}
                for row in rows
                if (transfer is None or transfer in {row["transfer"], row["of"]})
                and (account is None or any(line["account"] == account for line in row["postings"]))
            ]
        }

    @operation(cls=1, route="GET /trial-balance")
    def get_trial_balance(self) -> dict[str, Any]:
        """Read the sums of all debits and of all credits, per currency."""
        sums = sorted(self._sums().items())
        return {"data": [{"currency": c, "debits": debit, "credits": credit} for c, (debit, credit) in sums]}

    def freeze_account(self, account_id: str) -> Row:
        """Freeze an account, as an audit would: nothing is booked on it any more, no reversal either."""
        row = self._account(account_id)
        return self._update(self.accounts, row, {"status": "frozen"})

    def _transfer_referred(self, effect: Effect) -> None:
        """An accountant gives a transfer another reference."""
        row = self._find(self.transfers, str(effect.ref))
        self._update(self.transfers, row, {"reference": f"{row['reference'] or row['id']}, checked"})

    def _account_frozen(self, effect: Effect) -> None:
        """An audit freezes the account onto which money was moved."""
        self.freeze_account(_postings(self._find(self.transfers, str(effect.ref)))[0].account)

    def _pending_posted(self, effect: Effect) -> None:
        """An accountant posts what is pending."""
        self.post_pending(pending_id=str(effect.ref))

    def _sums(self) -> dict[str, tuple[int, int]]:
        """All debits and all credits of each currency."""
        sums: dict[str, tuple[int, int]] = {}
        for row in self.accounts.rows.values():
            debit, credit = sums.get(row["currency"], (0, 0))
            sums[row["currency"]] = debit + row["debits"], credit + row["credits"]
        return sums

    def _lines(
        self,
        debit: str | None,
        credit: str | None,
        amount: int | None,
        currency: str | None,
        postings: list[Any] | None,
    ) -> tuple[Posting, ...]:
        """The postings of a call, which are right for their accounts and balance."""
        if postings is not None:
            lines = from_json(postings, {key: row["currency"] for key, row in self.accounts.rows.items()})
        elif debit is None or credit is None or amount is None:
            raise Refusal(400, "missing_field", "a transfer needs debit, credit and amount, or postings")
        else:
            lines = simple(debit, credit, amount, (currency or self._account(debit)["currency"]).lower())
        for line in lines:
            own = self._account(line.account)["currency"]
            if line.currency != own:
                raise Refusal(
                    422, "currency_mismatch", f"{line.account} is in {own!r}, not {line.currency!r}"
                )
        check(lines)
        return lines

    def _pending(self, transfer: str, resolved: str, again: tuple[str, str]) -> Row:
        """A transfer that is pending still; `again` is the code if it was resolved in this very way."""
        row = self._find(self.transfers, transfer)
        if row["kind"] != "pending":
            raise Refusal(
                409, "not_pending", f"{transfer} is a {row['kind']}: only what is pending is resolved"
            )
        if row["status"] == resolved:
            code, what = again
            raise Refusal(409, code, f"{transfer} {what}, which can be done once")
        if row["status"] != "pending":
            raise Refusal(
                409, f"pending_{row['status']}", f"{transfer} is {row['status']} and resolved for good"
            )
        return row

    def _booked(
        self, kind: str, status: str, of: str | None, lines: Sequence[Posting], reference: str | None
    ) -> dict[str, Any]:
        """Write a transfer and its entry."""
        currencies = {line.currency for line in lines}
        transfer = self._new_id(self.transfers, "tr", None)
        row = {
            "id": transfer,
            "kind": kind,
            "status": status,
            "of": of,
            "amount": amount_of(lines),
            "currency": currencies.pop() if len(currencies) == 1 else None,
            "postings": as_json(lines),
            "reference": reference,
        }
        entry = "post" if kind == "transfer" and of is not None else kind
        self._append(entry, transfer, of, lines)
        return transfer_view(self._insert(self.transfers, row))


def transfer_view(row: Row) -> dict[str, Any]:
    """A transfer as answers show it."""
    return {**row, "postings": [dict(line) for line in row["postings"]]}


def _postings(row: Row) -> tuple[Posting, ...]:
    return tuple(Posting(**line) for line in row["postings"])


def _part(pending: Row, held: tuple[Posting, ...], amount: int) -> tuple[Posting, ...]:
    """A part of what is pending, which must have two postings only."""
    if len(held) != 2:
        raise Refusal(422, "not_divisible", f"{pending['id']} has {len(held)} postings: post all of it")
    if not 0 < amount <= held[0].amount:
        raise Refusal(422, "invalid_amount", f"{pending['id']} holds {held[0].amount}, not {amount}")
    return tuple(line._replace(amount=amount) for line in held)
