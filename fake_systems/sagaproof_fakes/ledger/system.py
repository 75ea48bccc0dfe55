"""The ledger put together from its parts, with the invariants that hold after each commit."""

from __future__ import annotations

from typing import ClassVar

from sagaproof import invariant
from sagaproof_fakes.ledger._accounts import balance_of, overdrawn
from sagaproof_fakes.ledger._fold import Fold
from sagaproof_fakes.ledger._postings import Balance
from sagaproof_fakes.ledger._set_up import SetUp

__all__ = ["Ledger"]


class Ledger(SetUp):
    """A ledger, double-entry and append-only; set it up with `add_account` and `add_transfer`."""

    name: ClassVar[str] = "ledger"
    hosts: ClassVar[tuple[str, ...]] = ("ledger.test",)

    def __init__(self) -> None:
        super().__init__()
        self._fold = Fold()

    @invariant
    def entries_are_an_unbroken_chain(self) -> str | None:
        """Entries are numbered without a gap, each seals the one before it: none was edited or removed."""
        return self._folded().faults.get("chain")

    @invariant
    def debits_equal_credits_in_each_entry(self) -> str | None:
        """Each entry has at least two postings above zero, which balance in each currency."""
        return self._folded().faults.get("entry")

    @invariant
    def a_pending_transfer_is_resolved_at_most_once(self) -> str | None:
        """What is pending is posted or voided once, and never posted beyond what it holds."""
        return self._folded().faults.get("pending")

    @invariant
    def a_reversal_is_the_counter_entry_of_one_transfer(self) -> str | None:
        """A reversal turns round each posting of a posted transfer, and no transfer is reversed twice."""
        return self._folded().faults.get("reversal")

    @invariant
    def balances_are_the_fold_of_the_entries(self) -> str | None:
        """The stored sums of each account are those that follow from the journal."""
        folded = self._folded().balances
        for account, row in self.accounts.rows.items():
            if balance_of(row) != folded.get(account, Balance()):
                return f"{account} has {balance_of(row)}, its entries {folded.get(account, Balance())}"
        unknown = folded.keys() - self.accounts.rows.keys()
        return f"entries name the account {min(unknown)}, which does not exist" if unknown else None

    @invariant
    def transfers_are_the_fold_of_the_entries(self) -> str | None:
        """The state of each transfer is the one that follows from the journal."""
        folded = self._folded().statuses
        for transfer, row in self.transfers.rows.items():
            shown = "reversal" if row["kind"] == "reversal" else row["status"]
            if folded.get(transfer) != shown:
                return f"{transfer} is {shown}, its entries say {folded.get(transfer)}"
        unknown = folded.keys() - self.transfers.rows.keys()
        return f"entries name the transfer {min(unknown)}, which does not exist" if unknown else None

    @invariant
    def the_trial_balance_is_zero(self) -> str | None:
        """Over all accounts debits equal credits, in each currency."""
        for currency, (debits, credits_) in self._sums().items():
            if debits != credits_:
                return f"{currency}: debits {debits}, credits {credits_}"
        return None

    @invariant
    def no_account_is_overdrawn_that_must_not_be(self) -> str | None:
        """Where overdrafts are not allowed, what is available is at least zero."""
        low = next((k for k, r in self.accounts.rows.items() if overdrawn(r, balance_of(r))), None)
        return None if low is None else f"{low} is overdrawn"

    def _folded(self) -> Fold:
        """The fold up to the last entry; begun anew if entries taken before are not there any more."""
        entries = list(self.entries.rows.values())
        if not self._fold.has_taken(entries):
            self._fold = Fold()
        for entry in entries[len(self._fold.taken) :]:
            self._fold.take(entry)
        return self._fold

    def reset(self) -> None:
        """Be empty again."""
        super().reset()
        self._fold = Fold()
