"""Whoever follows the page sees what it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.slow
def test_the_page_can_be_followed_from_top_to_bottom(page: Callable[[str], Any], walk: Any) -> None:
    walk.take(page("docs/getting_started.md"))
    assert walk.commands == 6


def test_every_block_is_a_file_or_a_command(page: Callable[[str], Any]) -> None:
    blocks = page("docs/getting_started.md").blocks
    assert [b.text for b in blocks if not b.name and b.language != "console"] == []
