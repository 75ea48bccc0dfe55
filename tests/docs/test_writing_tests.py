"""The reference of options is complete and true, and what it shows as a file runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof import Claim
from sagaproof._doors.pytest_fixtures import _ADVICE

PAGE = "docs/writing_tests.md"
OPTION = re.compile(r"^\| `(?P<name>\w+)` \| `(?P<default>[^`]+)` \|", re.MULTILINE)


def test_the_page_has_every_option_of_explore_with_its_default(
    page: Callable[[str], Any], generate: dict[str, Any]
) -> None:
    part = page(PAGE).text.partition("## Options of `@explore`")[2].partition("\n## ")[0]
    shown = {match["name"]: match["default"] for match in OPTION.finditer(part)}
    assert shown == generate["explore_defaults"]()


@pytest.mark.slow
def test_what_the_page_shows_as_files_passes(page: Callable[[str], Any], walk: Any) -> None:
    walk.take(page(PAGE))
    assert walk.commands == 2
    assert re.search(r"^10 explored tests: 10 clean; \d+ runs, 0 findings$", walk.pytest("-q"), re.MULTILINE)


def test_every_claim_is_explained(page: Callable[[str], Any]) -> None:
    part = page(PAGE).text.partition("## Claims")[2].partition("\n## ")[0]
    assert {f'`"{claim}"`' for claim in Claim} <= set(re.findall(r"`\"\w+\"`", part))


def test_every_fixture_with_advice_is_in_the_table(page: Callable[[str], Any]) -> None:
    text = page(PAGE).text
    named = {"tmp_path", "monkeypatch", "capsys", "caplog", "respx_mock"}
    assert named <= _ADVICE.keys()
    assert all(f"`{name}`" in text for name in named)
