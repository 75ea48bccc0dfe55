"""The product says when it is not needed, and is silent when it is."""

from __future__ import annotations

import pytest

from sagaproof.saga.advice import NO_LAST_WORD, NOTHING_WRITTEN, ONE_SYSTEM, ONLY_CONVERGENT, advice


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([], [NOTHING_WRITTEN]),
        ([(1, "crm"), (1, "billing")], [NOTHING_WRITTEN]),
        ([(1, "crm"), (2, "crm"), (2, "billing")], [ONLY_CONVERGENT]),
        ([(2, "crm"), (3, "billing")], [NO_LAST_WORD]),
        ([(3, "crm"), (4, "crm")], [ONE_SYSTEM.format(system="crm")]),
        ([(2, "crm"), (2, "crm")], [ONLY_CONVERGENT, ONE_SYSTEM.format(system="crm")]),
        ([(3, "crm"), (4, "billing"), (5, "mail")], []),
        ([(3, "crm"), (5, "mail")], []),
        ([(3, None), (4, None)], []),
        ([(3, "crm"), (4, None)], []),
        ([(1, "mail"), (4, "billing")], []),
    ],
)
def test_advice(tools: list[tuple[int, str | None]], said: list[str]) -> None:
    assert advice(iter(tools)) == said
