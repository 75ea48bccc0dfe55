"""What the page about events shows is what happens, and its table is what the bundled systems send."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._doors.registry import systems

PAGE = "docs/events.md"
ROW = re.compile(r"^\| (?P<system>\w+) \| (?P<types>`.+`) \|$", re.MULTILINE)


@pytest.mark.slow
def test_the_page_can_be_followed_from_top_to_bottom(page: Callable[[str], Any], walk: Any) -> None:
    walk.take(page(PAGE))
    assert walk.commands == 2


def test_the_table_has_all_events_that_are_sent(page: Callable[[str], Any]) -> None:
    shown = {m["system"]: set(re.findall(r"`([\w.]+)`", m["types"])) for m in ROW.finditer(page(PAGE).text)}
    names = ("crm", "billing", "ledger", "mail", "desk")
    sent = {name: set(system.sends) for name, system in systems(names).items() if system.sends}
    assert shown == sent


def test_the_system_of_the_page_is_one(page: Callable[[str], Any]) -> None:
    (block,) = [block for block in page(PAGE).of("python") if not block.name]
    made: dict[str, Any] = {}
    exec(block.text, made)  # it is a page of ours
    assert made["Courier"]().sends == ("parcel.picked_up",)
