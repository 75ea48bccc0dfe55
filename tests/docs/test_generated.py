"""The generated parts of pages are up to date, and each thing that there is has its part."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sagaproof._model.faults import FAULTS

SECTION = re.compile(r"^## (?P<name>[^\n]+)\n(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def sections(text: str) -> dict[str, str]:
    return {match["name"]: match["text"] for match in SECTION.finditer(text)}


def test_no_generated_part_is_stale(generate: dict[str, Any]) -> None:
    stale = [path.name for path, _ in generate["stale"]()]
    assert not stale, f"{', '.join(stale)} is out of date. Run: {generate['COMMAND']}"


def test_a_stale_part_is_seen_and_text_around_it_is_kept(generate: dict[str, Any]) -> None:
    page = "before\n<!-- generated: faults silence -->\nold\n<!-- end -->\nafter\n"
    filled = generate["filled"](page)
    assert filled.startswith("before\n")
    assert filled.endswith("\nafter\n")
    assert "| `timeout` |" in filled
    assert "old" not in filled
    assert generate["filled"](filled) == filled


def test_every_fault_is_in_a_table_of_its_family(page: Callable[[str], Any]) -> None:
    found = sections(page("docs/faults.md").text)
    for fault in FAULTS.values():
        assert f"| `{fault.name}` |" in found[fault.family.capitalize()]
