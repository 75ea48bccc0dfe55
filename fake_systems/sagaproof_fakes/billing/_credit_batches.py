"""Many credits in one call, each by itself, and all of them taken back in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sagaproof import Refusal, operation
from sagaproof_fakes.billing import _state
from sagaproof_fakes.billing._credits import Credits

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["CreditBatches"]


class CreditBatches(Credits):
    """The operations on batches of credits."""

    @operation(
        cls=4,
        route="POST /credit-batches",
        status=201,
        ref="batch",
        bulk="items",
        meanwhile={"consumed": "_first_credit_spent"},
    )
    def issue_credits(self, *, items: list[Any]) -> dict[str, Any]:
        """Issue many credits; an item is an object with what `issue_credit` takes.

        Each is issued or `refused` by itself; if all are refused, so is the call, as the first one was.
        """
        credits_: list[str] = []
        refused: list[Any] = []
        reasons: list[Refusal] = []
        for item in items:
            try:
                credits_.append(self._issue_item(item))
            except Refusal as refusal:
                refused.append(item)
                reasons.append(refusal)
        if not credits_:
            raise reasons[0] if reasons else Refusal(422, "no_items", "a batch has at least one credit")
        key = self._new_id(self.batches, "batch", None)
        self._insert(self.batches, {"id": key, "status": "issued", "credits": credits_})
        return {"batch": key, "credits": list(credits_), "refused": refused}

    @operation(cls=4, route="POST /credit-batches/{batch}/reverse", ref="batch", undoes="issue_credits")
    def reverse_credits(self, *, batch: str) -> dict[str, Any]:
        """Reverse all credits of a batch that are not reversed yet; refused if one of them has been spent."""
        row = self._find(self.batches, batch)
        if row["status"] == "reversed":
            raise Refusal(409, "already_reversed", f"{batch} has been reversed")
        standing = [one for one in row["credits"] if self.credits[one]["status"] != "reversed"]
        for credit in standing:
            _state.reverse(self.credits[credit])
        for credit in standing:
            self.reverse_credit(credit_id=credit)
        self._update(self.batches, row, {"status": "reversed"})
        return {"batch": batch, "status": "reversed", "credits": standing}

    def _issue_item(self, item: Any) -> str:
        if not isinstance(item, Mapping) or not {"customer", "amount"} <= item.keys() <= _TAKEN:
            raise Refusal(422, "invalid_item", f"a credit has customer and amount, and at most {_TAKEN}")
        if item["amount"].__class__ is not int:
            raise Refusal(422, "invalid_item", f"an amount is in whole minor units, not {item['amount']!r}")
        return str(self.issue_credit(**item)["id"])

    def _first_credit_spent(self, effect: Effect) -> None:
        """The customer spends the first credit of a batch."""
        self.spend_credit(self.batches[str(effect.ref)]["credits"][0])


_TAKEN = frozenset({"customer", "amount", "currency", "invoice", "reference", "reason"})
