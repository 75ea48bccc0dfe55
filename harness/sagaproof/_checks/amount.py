"""Amounts for a reader: minor units with their currency, where the rows of an effect name one."""

from __future__ import annotations

from typing import Final

from sagaproof._model.effect import Effect

__all__ = ["amount_text"]

_DIGITS: Final = {
    **dict.fromkeys(("CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "XAF", "XOF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}
"""Digits after the point by ISO 4217, where they are not two."""


def amount_text(effect: Effect) -> str:
    """`2500.00 usd`; without a known currency the bare number of minor units; empty if there is no amount."""
    if effect.amount is None:
        return ""
    currency = _currency(effect)
    if currency is None:
        return str(effect.amount)
    digits = _DIGITS.get(currency.upper(), 2)
    whole, rest = divmod(abs(effect.amount), 10**digits)
    point = f".{rest:0{digits}d}" if digits else ""
    return f"{'-' if effect.amount < 0 else ''}{whole}{point} {currency}"


def _currency(effect: Effect) -> str | None:
    rows = [effect.args, *(c.after for c in effect.changes), *(c.before for c in effect.changes)]
    named = (row.get("currency") for row in rows if row is not None)
    return next((str(c) for c in named if isinstance(c, str) and c), None)
