"""What the page about DBOS shows is what happens, and the points that it names are those there are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("dbos", reason="needs dbos")

# Loaded here, for a second copy of DBOS in one process would be another one.
import sagaproof._drivers.dbos_process
from sagaproof._drivers import dbos_writes

PAGE = "docs/dbos.md"


@pytest.mark.slow
def test_the_page_can_be_followed_from_top_to_bottom(page: Callable[[str], Any], walk: Any) -> None:
    walk.take(page(PAGE))
    assert walk.commands == 2


def test_each_point_is_explained(page: Callable[[str], Any]) -> None:
    explained = set(re.findall(r"^\| `(dbos\.\w+)\.N` \|", page(PAGE).text, flags=re.MULTILINE))
    assert explained == {name for name, _ in dbos_writes._WRITES.values()}


def test_the_settings_that_are_made_are_named(page: Callable[[str], Any]) -> None:
    text = page(PAGE).text
    assert all(f"`{name}`" in text for name in sagaproof._drivers.dbos_process._CONFIG)
