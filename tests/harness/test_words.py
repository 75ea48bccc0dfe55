"""Whether a text for a person names something."""

from __future__ import annotations

import pytest

from sagaproof._model.words import mentions, words_of


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("credit cr_1 still stands", "cr_1"),
        ("credit:cr_1", "cr_1"),
        ("see credits/cr_1.", "cr_1"),
        ("(cr_1)", "cr_1"),
        ("`cr_1`, cr_2", "cr_2"),
        ("cr_1", "cr_1"),
        ({"refs": ["in_7", "cr_1"]}, "cr_1"),
        ({"cr_1": "open"}, "cr_1"),
        ({"deep": {"er": ({"x": "what of cr_1?"},)}}, "cr_1"),
        ({"amount": 2500}, "2500"),
        ("mailed jo@acme.test twice", "jo@acme.test"),
        ("order 49 of billing.issue_credit", "billing.issue_credit"),
        ("key: order 7", "key: order 7"),
        ("the call idem-key-1 is unknown", "idem-key-1"),
    ],
)
def test_what_a_text_says_as_a_word_is_mentioned(value: object, name: str) -> None:
    assert mentions(words_of(value), name)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("credit cr_10 still stands", "cr_1"),
        ("credit xcr_1", "cr_1"),
        ("credit cr_1-b", "cr_1"),
        ("credit cr_1_old", "cr_1"),
        ("credit cr.1", "cr_1"),
        ("the credit still stands", "cr_1"),
        ({"done": True}, "True"),
        ({"ref": None}, "None"),
        ("", "cr_1"),
        ("all", None),
        ("all", ""),
    ],
)
def test_what_only_looks_like_it_is_not_mentioned(value: object, name: str | None) -> None:
    assert not mentions(words_of(value), name)
