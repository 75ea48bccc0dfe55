"""What the README shows is what happens, and no page links to what is not there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).parents[2]
EXAMPLES = REPO / "docs" / "examples"
LINES_MAX = 120
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)#?(?P<anchor>[^)]*)\)")
HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    headings = (match["text"] for match in HEADING.finditer(page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w -]", "", text).lower().replace(" ", "-") for text in headings}


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in LINK.finditer(page.read_text(encoding="utf-8")):
        target = page.parent / link["path"] if link["path"] else page
        if not target.exists() or (link["anchor"] and link["anchor"] not in anchors(target)):
            broken.append(f"{page.name}: {link['path']}#{link['anchor']}")
    return broken


@pytest.mark.slow
def test_the_readme_shows_real_output(page: Callable[[str], Any], walk: Any) -> None:
    for name in ("support.py", "test_support.py"):
        shutil.copy(EXAMPLES / name, walk.pytester.path)
    walk.take(page("README.md"))
    assert walk.commands == 2


@pytest.mark.slow
def test_the_test_in_the_readme_explores_the_example(page: Callable[[str], Any], walk: Any) -> None:
    (test,) = page("README.md").of("python")
    shutil.copy(EXAMPLES / "support.py", walk.pytester.path)
    (walk.pytester.path / test.name).write_text(test.text, encoding="utf-8")
    plan = "mail.send.1=503,billing.reverse_credit.1=503"
    assert f"3 findings in the replay of {plan}" in walk.pytest(f"--saga-plan={plan}")


def test_the_readme_is_short() -> None:
    assert len((REPO / "README.md").read_text(encoding="utf-8").splitlines()) <= LINES_MAX


@pytest.mark.parametrize(
    "name", [str(p.relative_to(REPO)) for p in (*REPO.glob("*.md"), *REPO.glob("docs/*.md"))]
)
def test_no_link_of_a_page_leads_nowhere(name: str) -> None:
    assert broken_links(REPO / name) == []


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One two\n[a](#one-two) [b](#three) [c](gone.md) [d](page.md#one-two)\n", encoding="utf-8"
    )
    assert broken_links(page) == ["page.md: #three", "page.md: gone.md#"]
