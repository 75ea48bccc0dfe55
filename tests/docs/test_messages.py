"""docs/errors.md has every slug, and each message that it shows is what a user sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sagaproof import errors
from sagaproof._run import surroundings

PAGE = "docs/errors.md"
NOTES = "docs/messages.md"

SHOP = """
from sagaproof import System, Table, explore, operation
import httpx

class Shop(System):
    name = "shop"
    hosts = ("shop.test",)
    orders = Table()

    @operation(cls=3, route="POST /orders", ref="id")
    def place(self) -> dict:
        key = self.ids.next("or")
        return self.orders.put(key, {"id": key})

class Twin(System):
    name = "twin"
    hosts = ("shop.test",)

count = iter(range(9))

def place(path=""):
    httpx.post(f"https://shop.test/orders{path}", timeout=5).raise_for_status()
"""

PROVOKED = {
    "usage": ("", "    place()\n    return 42\n"),
    "host-clash": (", Twin", "    place()\n"),
    "plan": ("", "    place()\n"),
    "leak": ("", '    httpx.get("https://example.com/")\n'),
    "not-deterministic": ("", "    if next(count): place()\n"),
    "not-injected": ("", "    place()\n"),
}
PLANS = {"plan": "--saga-plan=shop.plase.1=503", "not-injected": "--saga-plan=shop.place.9=503"}


def slugs() -> Iterator[str]:
    import_module("sagaproof.testing")  # has an error of its own
    waiting: list[type[errors.SagaproofError]] = [errors.SagaproofError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        yield kind.slug


def test_every_slug_has_its_section_and_no_other_has_one(page: Callable[[str], Any]) -> None:
    sections = re.findall(r"^### (\S+)$", page(PAGE).text, flags=re.MULTILINE)
    assert sorted(sections) == sorted(set(slugs()))
    # Of these there is no one message: the base, what a system of one's own breaks, and faults of ours.
    # A worker that dies is provoked where that does not take the tests along: in test_workers.
    assert set(slugs()) - PROVOKED.keys() == {"error", "contract", "internal", "worker-died"}


@pytest.mark.parametrize("slug", PROVOKED)
def test_a_message_on_the_page_is_what_is_seen(
    page: Callable[[str], Any], walk: Any, monkeypatch: pytest.MonkeyPatch, slug: str
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    systems, body = PROVOKED[slug]
    text = f"{SHOP}\n@explore(systems=[Shop{systems}])\ndef test_it(world):\n{body}"
    (walk.pytester.path / "test_it.py").write_text(text, encoding="utf-8")
    shown = re.search(rf"^### {slug}\n\n```text\n(.*?)^```$", page(PAGE).text, re.DOTALL | re.MULTILINE)
    assert shown is not None
    walk.check(shown[1], walk.pytest(*([PLANS[slug]] if slug in PLANS else [])))


@pytest.mark.parametrize(
    "words", ["would wait for ever at", "waits in real time: ", "outlived its run", "no operation answers"]
)
def test_a_note_on_the_page_is_one_that_is_made(page: Callable[[str], Any], words: str) -> None:
    assert words in page(NOTES).text
    assert words in Path(surroundings.__file__).read_text(encoding="utf-8")
