"""Accounts, and how an entry gets into the journal: the one place that writes entries and balances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sagaproof import Refusal, Table, operation
from sagaproof_fakes._money import is_currency
from sagaproof_fakes._records import STAMPS, Records, Row
from sagaproof_fakes.ledger._chain import GENESIS, sealed
from sagaproof_fakes.ledger._postings import Balance, Posting, as_json

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["KINDS", "Accounts", "balance_of"]

KINDS: Final[Mapping[str, int]] = {"asset": 1, "expense": 1, "liability": -1, "equity": -1, "income": -1}
"""The kinds of account; 1 where debits make the balance grow, -1 where credits do."""


class Accounts(Records):
    """The tables of the ledger and the operations on accounts.

    Entries are the truth: appended, never changed, never gone, and so no difference by themselves. What
    counts is the state of the transfers; balances are derived, and judged by the invariants.
    """

    name = "ledger"

    accounts = Table(gone={"status": ("closed",)}, volatile=(*STAMPS, *Balance._fields))
    transfers = Table(
        gone={"status": ("void", "settled", "reversed"), "kind": ("reversal",)}, volatile=STAMPS
    )
    batches = Table(gone={"status": ("reversed",)}, volatile=STAMPS)
    entries = Table(gone={"kind": ("transfer", "pending", "post", "void", "reversal")})

    @operation(
        cls=3,
        route="POST /accounts",
        status=201,
        ref="id",
        meanwhile={"meddled": "_account_renamed", "consumed": "_account_used"},
    )
    def create_account(
        self,
        *,
        name: str,
        kind: str = "asset",
        currency: str = "usd",
        overdraft: bool = True,
        account: str | None = None,
    ) -> dict[str, Any]:
        """Open an account in one currency, under the id `account` if that is given.

        `kind` is asset, expense, liability, equity or income. Without `overdraft` what is available never
        falls below zero.
        """
        if kind not in KINDS:
            raise Refusal(422, "invalid_kind", f"kind is one of {', '.join(KINDS)}, not {kind!r}")
        if not is_currency(currency.lower()):
            raise Refusal(
                422, "invalid_currency", f"{currency!r} is no currency: three letters, such as 'usd'"
            )
        if account is not None and account in self.accounts:
            raise Refusal(409, "account_exists", f"ledger has an account {account!r}")
        return self._open(account, name, kind, currency, overdraft=overdraft)

    @operation(cls=3, route="POST /accounts/{account_id}/close", ref="account_id", undoes="create_account")
    def close_account(self, *, account_id: str) -> dict[str, Any]:
        """Close an account for good; refused while it has a balance, or something pending."""
        row = self._find(self.accounts, account_id)
        if row["status"] == "closed":
            raise Refusal(409, "already_closed", f"{account_id} is closed")
        balance = balance_of(row)
        if balance.debits != balance.credits or balance.pending_debits or balance.pending_credits:
            raise Refusal(409, "balance_not_zero", f"{account_id} has a balance or something pending")
        return account_view(self._update(self.accounts, row, {"status": "closed"}))

    @operation(cls=1, route="GET /accounts/{account_id}", ref="account_id")
    def get_account(self, *, account_id: str) -> dict[str, Any]:
        """Read an account with its balance and with what of it is available."""
        return account_view(self._find(self.accounts, account_id))

    @operation(cls=1, route="GET /accounts")
    def list_accounts(self, *, currency: str | None = None) -> dict[str, Any]:
        """Read the accounts that are not closed, all or those in one currency."""
        rows = [row for row in self.accounts.rows.values() if row["status"] != "closed"]
        return {"data": [account_view(r) for r in rows if currency is None or r["currency"] == currency]}

    def _open(
        self, account: str | None, name: str, kind: str, currency: str, *, overdraft: bool
    ) -> dict[str, Any]:
        row = {
            "id": self._new_id(self.accounts, "acc", account),
            "status": "open",
            "name": name,
            "kind": kind,
            "currency": currency.lower(),
            "overdraft": overdraft,
            **Balance()._asdict(),
        }
        return account_view(self._insert(self.accounts, row))

    def _account(self, account: str) -> Row:
        row = self._find(self.accounts, account)
        if row["status"] == "closed":
            raise Refusal(409, "account_closed", f"ledger: account {account!r} is closed")
        if row["status"] == "frozen":
            raise Refusal(409, "account_frozen", f"ledger: account {account!r} is frozen")
        return row

    def _account_renamed(self, effect: Effect) -> None:
        """An accountant gives an account another name."""
        row = self._find(self.accounts, str(effect.ref))
        self._update(self.accounts, row, {"name": f"{row['name']} (renamed)"})

    def _account_used(self, effect: Effect) -> None:
        """An accountant books something on an account. How, is with the set-up."""
        raise NotImplementedError

    # The journal ----------------------------------------------------------------------------------------

    def _append(self, kind: str, transfer: str, of: str | None, postings: Sequence[Posting]) -> Row:
        """Seal an entry and put it behind the last one."""
        last = next(reversed(self.entries.rows.values()), None)
        seq = 1 if last is None else last["seq"] + 1
        content = {
            "seq": seq,
            "kind": kind,
            "transfer": transfer,
            "of": of,
            "postings": as_json(postings),
            "at": self.clock.isoformat(),
        }
        return self.entries.put(str(seq), sealed(GENESIS if last is None else last["hash"], content))

    def _post(self, postings: Sequence[Posting], *, held: Sequence[Posting] = ()) -> None:
        """Let postings count, and release what was `held` for them."""
        self._move(self._released(held), postings, Balance.posted)

    def _hold(self, postings: Sequence[Posting]) -> None:
        """Reserve what the postings will need."""
        self._move({}, postings, Balance.held)

    def _release(self, held: Sequence[Posting]) -> None:
        """Give back what a pending transfer holds."""
        self._write(self._released(held))

    def _released(self, held: Sequence[Posting]) -> dict[str, Balance]:
        after: dict[str, Balance] = {}
        for posting in held:
            before = after.get(posting.account) or balance_of(self.accounts[posting.account])
            after[posting.account] = before.held(posting, -1)
        return after

    def _move(
        self,
        after: dict[str, Balance],
        postings: Sequence[Posting],
        add: Callable[[Balance, Posting], Balance],
    ) -> None:
        """Add postings to sums and store those; refused where an account would fall too low."""
        for posting in postings:
            before = after.get(posting.account) or balance_of(self.accounts[posting.account])
            after[posting.account] = add(before, posting)
        for account, balance in after.items():
            if overdrawn(self.accounts[account], balance):
                raise Refusal(409, "insufficient_funds", f"{account} would fall below zero")
        self._write(after)

    def _write(self, after: Mapping[str, Balance]) -> None:
        for account, balance in after.items():
            self._update(self.accounts, self.accounts[account], balance._asdict())


def balance_of(account: Row) -> Balance:
    """The sums that are stored with an account."""
    return Balance(*(account[field] for field in Balance._fields))


def overdrawn(account: Row, balance: Balance) -> bool:
    """Whether these sums are too low for an account that must not be overdrawn."""
    return not account["overdraft"] and available(account, balance) < 0


def available(account: Row, balance: Balance) -> int:
    """The balance on the account's own side, less what pending transfers would take from it."""
    if KINDS[account["kind"]] > 0:
        return balance.debits - balance.credits - balance.pending_credits
    return balance.credits - balance.debits - balance.pending_debits


def account_view(row: Row) -> dict[str, Any]:
    """An account as answers show it: `balance` is on its own side, so mostly positive."""
    balance = balance_of(row)
    own = (balance.debits - balance.credits) * KINDS[row["kind"]]
    return {**row, "balance": own, "available": available(row, balance)}
