"""Right sagas: whatever fault they meet, no check may complain of them."""

from __future__ import annotations

from sagaproof_scenarios.planted.plant import control
from sagaproof_scenarios.planted.reference import Reference
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER, FULL, MAIL_EARLY

__all__ = ["CONTROLS"]

CONTROLS = (
    control("REF", "The right saga: customer, invoice, mail.", Reference, FULL),
    control("REF-pivot", "The right saga with a step after the mail.", Reference, MAIL_EARLY),
    control("REF-pair", "The right saga without anything irreversible.", Reference, (CUSTOMER, BOOKING)),
)
