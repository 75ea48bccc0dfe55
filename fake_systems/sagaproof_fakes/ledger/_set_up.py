"""Set-up of the ledger by Python: the accounts and transfers that are there before a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sagaproof.errors import UsageError, suggest
from sagaproof_fakes._money import Money, exponent, minor
from sagaproof_fakes._records import Row
from sagaproof_fakes.ledger._accounts import KINDS
from sagaproof_fakes.ledger._batches import Batches

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["SetUp"]


class SetUp(Batches):
    """Methods that are no operations: no call reaches them, and a run does not have to undo what they do.

    Each returns the row. Amounts are text ("2500.00"), `Decimal`, or an int of minor units.
    """

    def add_account(
        self,
        id: str | None = None,  # noqa: A002  # what everyone calls it
        *,
        name: str | None = None,
        kind: str = "asset",
        currency: str = "usd",
        overdraft: bool = True,
    ) -> dict[str, Any]:
        """Have an account: asset, expense, liability, equity or income. Its name is its id if left out."""
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of account", advice=suggest(kind, KINDS))
        exponent(currency)
        account = self._new_id(self.accounts, "acc", id)
        return self._open(account, name or account, kind, currency, overdraft=overdraft)

    def add_transfer(
        self, *, debit: str, credit: str, amount: Money = "100.00", reference: str | None = None
    ) -> dict[str, Any]:
        """Have a transfer that was posted earlier."""
        units = self._units(debit, credit, amount)
        return self.post_transfer(debit=debit, credit=credit, amount=units, reference=reference)

    def add_pending(
        self, *, debit: str, credit: str, amount: Money = "100.00", reference: str | None = None
    ) -> dict[str, Any]:
        """Have a transfer that is pending."""
        units = self._units(debit, credit, amount)
        return self.create_pending(debit=debit, credit=credit, amount=units, reference=reference)

    def _account_used(self, effect: Effect) -> None:
        own = self._find(self.accounts, str(effect.ref))
        other = self.add_account(currency=own["currency"])["id"]
        debit, credit = (own["id"], other) if KINDS[own["kind"]] > 0 else (other, own["id"])
        self.add_transfer(debit=debit, credit=credit, amount=1)

    def _units(self, debit: str, credit: str, amount: Money) -> int:
        return minor(amount, (self._known(debit), self._known(credit))[0]["currency"])

    def _known(self, account: str) -> Row:
        row = self.accounts.get(account)
        if row is None:
            raise UsageError(
                f"ledger has no account {account!r}",
                advice=suggest(account, self.accounts) or "Add it first: ledger.add_account(...).",
            )
        return row
