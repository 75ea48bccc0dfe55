"""Of two texts that part is marked in which they are not alike, and nothing is lost of either."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagaproof._report.contrast import contrast

TEXTS = st.text(alphabet="ab ;.", max_size=12)


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("told 503; not applied", "told ok; not applied", ("503", "ok")),
        ("told ok; applied twice", "told ok; applied", (" twice", "")),
        ("said no", "said no", ("", "")),
        ("nothing more", "told ok", ("nothing more", "told ok")),
        ("a a", "a", (" a", "")),
    ],
)
def test_what_is_not_alike_is_marked(one: str, other: str, differs: tuple[str, str]) -> None:
    here, there = contrast(one, other)
    assert (here.differs, there.differs) == differs


@given(TEXTS, TEXTS)
def test_both_texts_are_whole_and_alike_outside_of_the_mark(one: str, other: str) -> None:
    here, there = contrast(one, other)
    assert "".join(here) == one
    assert "".join(there) == other
    assert (here.before, here.after) == (there.before, there.after)
