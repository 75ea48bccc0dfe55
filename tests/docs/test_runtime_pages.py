"""The pages about the runtime: their programs run and print what they show, their tables are true."""

from __future__ import annotations

import inspect
import io
import re
import runpy
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from sagaproof import saga
from sagaproof._checks import catalogue
from sagaproof.saga.advice import NO_LAST_WORD, NOTHING_WRITTEN, ONE_SYSTEM, ONLY_CONVERGENT
from sagaproof.saga.record import KINDS

LATER = {"corrupt-journal-is-loud", "one-runner"}
"""Checks that rules name and that are not there yet; the page says so."""


@pytest.mark.slow
def test_the_guide_can_be_followed_from_pairs_to_the_runtime(
    page: Callable[[str], Any], walk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = page("docs/to_the_runtime.md")
    walk.take(guide)
    assert walk.commands == 7
    assert [b.text for b in guide.of("python") if not b.name] == []
    monkeypatch.syspath_prepend(walk.pytester.path)
    monkeypatch.chdir(walk.pytester.path)
    runpy.run_path("main.py")
    assert Path("sagas.db").stat().st_size > 0


def run_all(page: Any, walk: Any) -> int:
    """Run the blocks of Python one after the other; a block of text after one is what it prints."""
    names: dict[str, Any] = {"__name__": "example"}
    printed, compared = "", 0
    for block in page.blocks:
        if block.language == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(block.text, str(page.path), "exec"), names)
            printed = out.getvalue()
        elif block.language == "text":
            walk.check(block.text, printed)
            compared += 1
    return compared


def test_the_page_of_advice_has_every_text_and_runs(page: Callable[[str], Any], walk: Any) -> None:
    found = page("docs/when_not_to_use_a_saga.md")
    quoted = " ".join(re.sub(r"^> ?", "", found.text, flags=re.MULTILINE).split())
    for text in (NOTHING_WRITTEN, ONLY_CONVERGENT, NO_LAST_WORD, ONE_SYSTEM.format(system="billing")):
        assert text in quoted
    assert run_all(found, walk) == 1


RULE = re.compile(r"^\| \*\*(?P<rule>[^|]+) \| (?P<kept>[^|]+) \| (?P<checks>[^|]+) \|$", re.MULTILINE)


def test_every_check_and_part_in_the_table_of_rules_exists(page: Callable[[str], Any]) -> None:
    rules = list(RULE.finditer(page("docs/rules.md").text))
    assert len(rules) == 17
    known = {check.slug for check in catalogue.ALL} | LATER
    for rule in rules:
        assert set(re.findall(r"`([\w-]+)`", rule["checks"])) <= known
        for module in re.findall(r"`saga\.(\w+)`", rule["kept"]):
            assert (Path(saga.__file__).parent / f"{module}.py").exists(), module


def test_every_check_but_those_of_users_proves_a_rule(page: Callable[[str], Any]) -> None:
    text = page("docs/rules.md").text
    unnamed = {check.slug for check in catalogue.ALL if f"`{check.slug}`" not in text}
    assert unnamed == {"user-assertion", "user-invariant"}


def test_the_reference_runs_and_prints_what_it_shows(page: Callable[[str], Any], walk: Any) -> None:
    assert run_all(page("docs/saga_runtime.md"), walk) == 6


def test_the_page_of_decisions_runs_and_prints_what_it_shows(page: Callable[[str], Any], walk: Any) -> None:
    assert run_all(page("docs/decisions.md"), walk) == 4


def test_the_reference_names_all_that_there_is(page: Callable[[str], Any]) -> None:
    text = page("docs/saga_runtime.md").text
    options = [name for name in inspect.signature(saga.Tool).parameters if name != "call"]
    assert re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)[: len(options)] == options
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`[^`]+`", prose))))
    assert not [name for name in (*saga.__all__, *KINDS) if name not in words]
    assert not [verdict.name for verdict in saga.Verdict if verdict.name not in words]
    for word in (*saga.Outcome, *saga.Status):
        assert f"| `{word}` |" in text
