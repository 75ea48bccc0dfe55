"""docs/words.md has the words that a user meets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof import Claim
from sagaproof._model.operation import EffectClass
from sagaproof._search.campaign import Status

WORDS = [
    *(
        "system",
        "world",
        "effect",
        "truth log",
        "effect class",
        "saga under test",
        "claim",
        "script",
        "point",
    ),
    *("fault", "plan", "run", "history", "check", "finding", "tally", "definite", "indefinite", "desk"),
    *("durable store", "journal", "crash", "restart", "recovery", "at rest", "event"),
    *(claim.value for claim in Claim),
    *(f"*{cls.name.lower()}*" for cls in EffectClass),
    *(status.value for status in Status),
]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_explained(page: Callable[[str], Any], word: str) -> None:
    assert word in page("docs/words.md").text.lower()
