"""Many transfers in one call, each by itself, and all of them taken back in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sagaproof import Refusal, operation
from sagaproof_fakes.ledger._transfers import Transfers

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Batches"]


class Batches(Transfers):
    """The operations on batches of transfers."""

    @operation(
        cls=4,
        route="POST /transfer-batches",
        status=201,
        ref="batch",
        bulk="items",
        meanwhile={"consumed": "_account_of_batch_frozen"},
    )
    def post_transfers(self, *, items: list[Any]) -> dict[str, Any]:
        """Post many transfers; an item is an object with `debit`, `credit` and `amount`.

        Each is posted or `refused` by itself; if all are refused, so is the call, as the first one was.
        """
        posted: list[str] = []
        refused: list[Any] = []
        reasons: list[Refusal] = []
        for item in items:
            try:
                posted.append(self._post_item(item))
            except Refusal as refusal:
                refused.append(item)
                reasons.append(refusal)
        if not posted:
            raise reasons[0] if reasons else Refusal(422, "no_items", "a batch has at least one transfer")
        key = self._new_id(self.batches, "batch", None)
        self._insert(self.batches, {"id": key, "status": "posted", "transfers": posted})
        return {"batch": key, "transfers": list(posted), "refused": refused}

    @operation(cls=4, route="POST /transfer-batches/{batch}/reverse", ref="batch", undoes="post_transfers")
    def reverse_transfers(self, *, batch: str) -> dict[str, Any]:
        """Reverse all transfers of a batch that are not reversed yet, or none, if one cannot be."""
        row = self._find(self.batches, batch)
        if row["status"] == "reversed":
            raise Refusal(409, "already_reversed", f"{batch} has been reversed")
        standing = [one for one in row["transfers"] if self.transfers[one]["status"] != "reversed"]
        for transfer in standing:
            self.reverse_transfer(transfer_id=transfer)
        self._update(self.batches, row, {"status": "reversed"})
        return {"batch": batch, "status": "reversed", "transfers": standing}

    def _post_item(self, item: Any) -> str:
        if not isinstance(item, Mapping) or item.keys() != {"debit", "credit", "amount"}:
            raise Refusal(422, "invalid_item", f"a transfer has debit, credit and amount, unlike {item!r}")
        if item["amount"].__class__ is not int:
            raise Refusal(422, "invalid_item", f"an amount is in whole minor units, not {item['amount']!r}")
        return str(self.post_transfer(**item)["id"])

    def _account_of_batch_frozen(self, effect: Effect) -> None:
        """An audit freezes the account onto which the first transfer of a batch moved money."""
        first = self.transfers[self.batches[str(effect.ref)]["transfers"][0]]
        self.freeze_account(first["postings"][0]["account"])
