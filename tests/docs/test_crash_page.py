"""What the page about crashes shows is what happens, and its table of rows is that of the cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof import AfterRestart

PAGE = "docs/crash.md"


@pytest.mark.slow
def test_the_page_can_be_followed_from_top_to_bottom(page: Callable[[str], Any], walk: Any) -> None:
    walk.take(page(PAGE))
    assert walk.commands == 3


def test_the_scripts_of_the_page_are_scripts(page: Callable[[str], Any]) -> None:
    (block,) = [block for block in page(PAGE).of("python") if block.name == "scripts.py"]
    made: dict[str, Any] = {}
    exec(block.text, made)  # it is a page of ours
    after = [script.after_restart for script in made["SCRIPTS"]]
    assert after == [AfterRestart.GO_ON, AfterRestart.GIVE_UP, made["LESS"]]


@pytest.mark.parametrize("choice", ["GO_ON", "GIVE_UP"])
def test_what_an_agent_may_do_after_a_restart_is_explained(page: Callable[[str], Any], choice: str) -> None:
    assert hasattr(AfterRestart, choice)
    assert f"`AfterRestart.{choice}`" in page(PAGE).text
