"""How findings name things: an effect, an amount, a call."""

from __future__ import annotations

from sagaproof._model.effect import Effect
from sagaproof._model.history import Call

__all__ = ["call_text", "effect_text"]


def effect_text(effect: Effect) -> str:
    """An effect by operation, object and amount: `billing.issue_credit cr_1 (250000)`."""
    ref = f" {effect.ref}" if effect.ref else ""
    amount = "" if effect.amount is None else f" ({effect.amount})"
    return f"{effect.full}{ref}{amount}"


def call_text(call: Call) -> str:
    """A logical call by its point: `billing.reverse_credit.1`."""
    first = call.first.point
    return f"{first.operation}.{first.n}"
