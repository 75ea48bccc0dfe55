"""The example on the page of sometimes properties is reached, and misses its stage as the page says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PAGE = "docs/sometimes.md"


def test_what_the_page_shows_is_reached_and_missed(page: Callable[[str], Any], walk: Any) -> None:
    (test,) = page(PAGE).of("python")
    path = walk.pytester.path / test.name
    path.write_text(test.text, encoding="utf-8")
    assert "1 explored test: 1 clean" in walk.pytest("-q")

    path.write_text(test.text.replace("range(2)", "range(1)"), encoding="utf-8")
    shown = page(PAGE).of("text")[-1].text
    assert " ".join(shown.split()) in " ".join(walk.pytest("-q").split())
