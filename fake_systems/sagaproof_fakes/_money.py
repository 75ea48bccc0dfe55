"""Money as whole minor units: read from text or `Decimal`, and written back; never a float."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, TypeAlias

from sagaproof.errors import UsageError

__all__ = ["Money", "exponent", "is_currency", "major", "minor", "pretty"]

Money: TypeAlias = str | Decimal | int
"""An amount as a caller may write it: "2500.00", Decimal("2500"), or 250000 minor units."""

# ISO 4217, list one: the currencies whose minor unit is not a hundredth.
_EXPONENTS: Final = {
    **dict.fromkeys(
        ("bif", "clp", "djf", "gnf", "isk", "jpy", "kmf", "krw", "pyg", "rwf", "ugx", "uyi", "vnd", "vuv"), 0
    ),
    **dict.fromkeys(("xaf", "xof", "xpf"), 0),
    **dict.fromkeys(("bhd", "iqd", "jod", "kwd", "lyd", "omr", "tnd"), 3),
    **dict.fromkeys(("clf", "uyw"), 4),
}
_CURRENCY: Final = re.compile(r"[a-z]{3}")
_AMOUNT: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def is_currency(code: str) -> bool:
    """Whether this has the form of a currency code on the wire: three lower-case letters."""
    return _CURRENCY.fullmatch(code) is not None


def exponent(currency: str) -> int:
    """How many decimal places the currency has: 2 for usd, 0 for jpy, 3 for kwd. Case does not matter."""
    code = currency.lower()
    if not is_currency(code):
        raise UsageError(
            f"{currency!r} is no currency", advice='Use the three letters of ISO 4217, such as "usd".'
        )
    return _EXPONENTS.get(code, 2)


def minor(amount: Money, currency: str) -> int:
    """Turn an amount into minor units: `minor("2500.00", "usd")` is 250000. An int is in minor units already.

    Nothing is rounded: more decimal places than the currency has, a float, or text that is not a plain
    decimal number raises `UsageError`.
    """
    places = exponent(currency)
    if isinstance(amount, int) and not isinstance(amount, bool):
        return amount
    scaled = _decimal(amount).scaleb(places)
    if scaled != scaled.to_integral_value():
        raise UsageError(
            f"{amount} {currency} has more than {places} decimal places",
            advice=f"The smallest unit is {major(1, currency)} {currency}: round it yourself.",
        )
    return int(scaled)


def _decimal(amount: object) -> Decimal:
    if isinstance(amount, Decimal) and amount.is_finite():
        return amount
    if isinstance(amount, str) and _AMOUNT.fullmatch(amount):
        return Decimal(amount)
    if isinstance(amount, float):
        raise UsageError(
            f"{amount!r} is a float, which cannot hold money",
            advice=f'Write it as text, "{amount:.2f}", or as an int of minor units.',
        )
    raise UsageError(
        f"{amount!r} is no amount of money",
        advice='Write a plain decimal as text, "2500.00", a Decimal, or an int of minor units.',
    )


def major(amount: int, currency: str) -> str:
    """Write minor units as a decimal with all places of the currency: `major(250000, "usd")` is "2500.00"."""
    return f"{Decimal(amount).scaleb(-exponent(currency)):f}"


def pretty(amount: int, currency: str) -> str:
    """Write minor units for people: `pretty(250000, "usd")` is "2,500.00 USD"."""
    return f"{Decimal(amount).scaleb(-exponent(currency)):,f} {currency.upper()}"
