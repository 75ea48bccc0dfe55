"""An undo that does not take back all that the call did (K13)."""

from __future__ import annotations

from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.sending import Result, send
from sagaproof_scenarios.planted.services import SALES
from sagaproof_scenarios.planted.stories import BOOKING

__all__ = ["DEAL_FIRST", "PLANTED", "WholeInverse"]

DEAL = Step("deal", "sales", "create_deal", lambda _: {"account": "acme", "title": "4921"})
DEAL_FIRST = (DEAL, BOOKING)


class WholeInverse(Reference):
    """Deletes the deal, and gives its share of the quota back."""

    def undo_by_key(self, entry: Entry) -> Result:
        """Both, if there was a deal."""
        result = super().undo_by_key(entry)
        if entry.step is not DEAL or not result.is_undone or result.answer.get("state") == "fenced":
            return result
        sales = self.world.direct.sales
        release = lambda _: sales.release_quota(account="acme", key="order-4921-quota")  # noqa: E731
        return send(release, self.undo_attempts, needs="used")


SYSTEMS = ("billing", "ledger", "mail", "desk", SALES)

PLANTED = (
    plant("M26", "K13 INCOMPLETE-INVERSE", "A deal is deleted; the quota it took stays taken.", Reference,
          DEAL_FIRST, expect=("compensated-is-clean", "no-silent-residue"), systems=SYSTEMS),
)  # fmt: skip
