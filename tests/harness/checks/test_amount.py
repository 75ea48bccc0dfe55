"""An amount is shown in its currency, with the digits that this currency has."""

from __future__ import annotations

import pytest

from sagaproof._checks.amount import amount_text
from sagaproof._model.effect import Change, Effect
from sagaproof._model.operation import EffectClass


def effect(amount: int | None, currency: str | None) -> Effect:
    row = {"id": "cr_1"} if currency is None else {"id": "cr_1", "currency": currency}
    change = Change("credits", "cr_1", None, row)
    return Effect(0, 0, "billing", "issue", EffectClass.COMPENSABLE, "cr_1", amount, None, {}, (change,))


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (250000, "usd", "2500.00 usd"),
        (5, "EUR", "0.05 EUR"),
        (-5, "EUR", "-0.05 EUR"),
        (250000, "JPY", "250000 JPY"),
        (2500, "kwd", "2.500 kwd"),
        (250000, None, "250000"),
        (None, "usd", ""),
    ],
)
def test_an_amount_has_the_digits_of_its_currency(
    amount: int | None, currency: str | None, text: str
) -> None:
    assert amount_text(effect(amount, currency)) == text
