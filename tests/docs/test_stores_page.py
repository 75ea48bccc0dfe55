"""What the page about stores shows is what happens, and it names every hook and every ready-made store."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof import stores
from sagaproof._model.faults import FAULTS

PAGE = "docs/stores.md"


@pytest.mark.slow
def test_the_page_can_be_followed_from_top_to_bottom(page: Callable[[str], Any], walk: Any) -> None:
    walk.take(page(PAGE))
    assert walk.commands == 1


@pytest.mark.parametrize("name", stores.__all__)
def test_every_ready_made_store_is_named(page: Callable[[str], Any], name: str) -> None:
    assert f"`stores.{name}(" in page(PAGE).text


@pytest.mark.parametrize("name", inspect.signature(stores.Store).parameters)
def test_every_hook_is_named(page: Callable[[str], Any], name: str) -> None:
    assert f"| `{name}(" in page(PAGE).text


def test_every_fault_of_stores_is_named(page: Callable[[str], Any]) -> None:
    text = page(PAGE).text
    assert all(f"`{fault.name}`" in text for fault in FAULTS.values() if fault.family == "store")
