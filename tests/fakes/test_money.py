"""Money is whole minor units: read without rounding, written back with all places."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagaproof.errors import UsageError
from sagaproof_fakes._money import Money, exponent, is_currency, major, minor, pretty


@pytest.mark.parametrize(
    ("amount", "currency", "units"),
    [
        ("2500.00", "USD", 250000),
        ("2500", "usd", 250000),
        ("2500.5", "usd", 250050),
        (Decimal("19.99"), "eur", 1999),
        (Decimal("19.9900"), "eur", 1999),
        (Decimal("1E+2"), "eur", 10000),
        ("-3.10", "eur", -310),
        ("500", "JPY", 500),
        ("1.234", "kwd", 1234),
        ("0.0001", "clf", 1),
        (250000, "usd", 250000),
        (500, "jpy", 500),
        (0, "usd", 0),
    ],
)
def test_an_amount_becomes_minor_units(amount: Money, currency: str, units: int) -> None:
    assert minor(amount, currency) == units
    assert type(minor(amount, currency)) is int


def test_a_float_is_refused_with_the_text_to_write_instead() -> None:
    with pytest.raises(UsageError, match=r'2500\.1 is a float.*Write it as text, "2500\.10"'):
        minor(2500.1, "usd")  # type: ignore[arg-type]  # what a caller without a type checker does


@pytest.mark.parametrize(
    ("amount", "currency"), [("19.999", "usd"), ("500.5", "jpy"), (Decimal("0.0001"), "kwd")]
)
def test_nothing_is_rounded(amount: Money, currency: str) -> None:
    with pytest.raises(UsageError, match="decimal places"):
        minor(amount, currency)


@pytest.mark.parametrize(
    "amount",
    ["", "1,000.00", "1_000", "1e3", "$5", " 5", "NaN", "٣", Decimal("NaN"), Decimal("Infinity"), True, None],
)
def test_what_is_no_plain_decimal_is_refused(amount: Money) -> None:
    with pytest.raises(UsageError, match="no amount of money"):
        minor(amount, "usd")


@pytest.mark.parametrize("currency", ["", "us", "usdt", "€", "u$d"])
def test_what_is_no_currency_code_is_refused(currency: str) -> None:
    with pytest.raises(UsageError, match="is no currency"):
        exponent(currency)


def test_a_currency_on_the_wire_is_in_lower_case() -> None:
    assert is_currency("usd")
    assert not is_currency("USD")


@pytest.mark.parametrize(
    ("units", "currency", "text", "for_people"),
    [
        (250000, "usd", "2500.00", "2,500.00 USD"),
        (5, "usd", "0.05", "0.05 USD"),
        (-310, "eur", "-3.10", "-3.10 EUR"),
        (1500, "jpy", "1500", "1,500 JPY"),
        (1234567, "kwd", "1234.567", "1,234.567 KWD"),
        (0, "usd", "0.00", "0.00 USD"),
    ],
)
def test_minor_units_are_written_with_all_places(
    units: int, currency: str, text: str, for_people: str
) -> None:
    assert major(units, currency) == text
    assert pretty(units, currency) == for_people


@given(st.integers(-(10**15), 10**15), st.sampled_from(["usd", "jpy", "kwd", "clf"]))
def test_what_is_written_is_read_as_the_same(units: int, currency: str) -> None:
    assert minor(major(units, currency), currency) == units
