"""The page on a system of one's own says what is so: its code runs, and fails as it says."""

from __future__ import annotations

import importlib.util
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof.testing import ContractBroken

PAGE = Path(__file__).parents[2] / "docs" / "own_system.md"
FORGETS_THE_STOCK = (
    'self._change_stock(held["sku"], reserved=self.stock[held["sku"]]["reserved"] - held["quantity"])'
)


def blocks(language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def load(source: str, folder: Path) -> Iterator[ModuleType]:
    path = folder / "inventory_example.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[path.stem]


@pytest.fixture
def example(tmp_path: Path) -> Iterator[ModuleType]:
    yield from load("\n\n".join(blocks("python")), tmp_path)


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[ModuleType]:
    source = "\n\n".join(blocks("python"))
    assert FORGETS_THE_STOCK in source
    yield from load(source.replace(FORGETS_THE_STOCK, "pass"), tmp_path)


def test_the_tests_on_the_page_pass(example: ModuleType) -> None:
    tests = [found for name, found in vars(example).items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()


def test_the_page_fails_as_it_says(broken: ModuleType) -> None:
    with pytest.raises(ContractBroken) as caught:
        broken.test_the_warehouse_keeps_the_contract()
    shown = textwrap.dedent(blocks("text")[0]).split()
    assert shown == f"ContractBroken: {caught.value}".split()


def test_what_was_shipped_is_not_released_any_more(example: ModuleType) -> None:
    world = WorldHandle({"inventory": example.Inventory()})
    world.inventory.add_stock("lamp", on_hand=5)
    reservation = world.direct.inventory.reserve(sku="lamp", quantity=3, key="k")["id"]
    world.direct.inventory.ship(reservation_id=reservation)
    with pytest.raises(ToolError, match="409 already_shipped"):
        world.direct.inventory.undo_by_key("reserve", "k")
    stock = world.direct.inventory.get_stock(sku="lamp")
    assert (stock["on_hand"], stock["reserved"]) == (2, 0)


def test_the_page_registers_the_system_where_worlds_look_for_it() -> None:
    assert '[project.entry-points."sagaproof.systems"]' in blocks("toml")[0]
