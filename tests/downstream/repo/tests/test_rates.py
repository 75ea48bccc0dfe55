import httpx
import pytest

from inn.rates import in_cents


def test_an_amount_is_converted(rates):
    assert in_cents(50, "usd") == 5500
    assert rates.calls.call_count == 1


def test_an_unknown_currency_is_an_error(rates):
    with pytest.raises(httpx.HTTPStatusError):
        in_cents(50, "xxx")
