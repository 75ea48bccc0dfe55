"""How findings name things: an effect, a call and where it was made, what the saga said of itself."""

from __future__ import annotations

from pathlib import PurePath

from sagaproof._checks.amount import amount_text
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Called
from sagaproof._model.history import Call, History

__all__ = ["asked_for", "call_text", "effect_text", "intent_text", "said", "site_text", "times_text"]


def effect_text(effect: Effect) -> str:
    """An effect by operation, object and amount: `billing.issue_credit cr_1 (2500.00 usd)`."""
    ref = f" {effect.ref}" if effect.ref else ""
    return f"{effect.full}{ref}{_amount_text(effect)}"


def intent_text(effect: Effect, history: History) -> str:
    """The same for an effect of another run: an object that only that run made is left unnamed."""
    return _amount_text(effect, effect.full) if effect.ref in history.created else effect_text(effect)


def call_text(call: Call) -> str:
    """A logical call by its point: `billing.reverse_credit.1`."""
    first = call.first.point
    return f"{first.operation}.{first.n}"


def asked_for(call: Call) -> str:
    """A logical call and where it was first made: `mail.send.1 (asked for at support.py:88)`."""
    return f"{call_text(call)}{site_text(call.first)}"


def times_text(count: int) -> str:
    """A number of attempts: `1 attempt`, `4 attempts`."""
    return f"{count} attempt{'' if count == 1 else 's'}"


def site_text(called: Called) -> str:
    """Where an arrival was made, as an aside: ` (asked for at support.py:88)`; empty if that is unknown."""
    places = " < ".join(PurePath(place).name for place in called.site.split(" < "))
    return f" (asked for at {places})" if called.site else ""


def said(history: History) -> str:
    """What the saga said of itself, as the beginning of a sentence."""
    if history.claim is None:
        return "the saga did not end"
    if history.claim is Claim.RAISED:
        errors = history.ending.errors
        return f"raised {errors[0].type}" if errors else "raised"
    return f"said '{history.claim}'"


def _amount_text(effect: Effect, before: str = "") -> str:
    amount = amount_text(effect)
    return f"{before} ({amount})" if amount else before
