"""The wheel in a user's repository, on each Python that is here, beside the oldest and the newest."""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).parents[2]
ROOTS = ("harness", "fake_systems", "scenarios")
OLDEST = (3, 11)

pytestmark = pytest.mark.slow


def pythons() -> dict[str, Path]:
    """A Python of each release from 3.11 on: on the path, or kept by pyenv, of which shims are no use."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [Path(sys.executable).parent, *sorted(root.glob("versions/*/bin"))]
    folders += [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    found: dict[str, Path] = {}
    for folder in folders:
        for path in folder.glob("python3.*"):
            release = re.fullmatch(r"python(3\.(\d+))", path.name)
            if release and (3, int(release[2])) >= OLDEST and folder.name != "shims":
                found.setdefault(release[1], path)
    return dict(sorted(found.items(), key=lambda item: int(item[0][2:])))


PYTHONS = pythons()


def built(wheel: Path) -> set[str]:
    """What the wheel holds, but for what says whose it is."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def sources() -> Iterator[str]:
    """What lies in the packages of a checkout."""
    for root in ROOTS:
        for path in (REPO / root).rglob("*"):
            name = path.relative_to(REPO / root).as_posix()
            if path.is_file() and "__pycache__" not in name and name != "README.md":
                yield name


def test_the_wheel_holds_the_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    names = built(wheel)

    assert names == set(sources())
    assert {"sagaproof/_explain/reverse-order.md", "sagaproof/_report/page/report.html.jinja"} <= names
    assert {"sagaproof/py.typed", "sagaproof_fakes/py.typed", "sagaproof_scenarios/py.typed"} <= names
    assert not [name for name in names if re.search(r"(^|/)(tests?/|test_|conftest)", name)]


def scenarios(theirs: Any) -> dict[str, dict[str, Any]]:
    report = json.loads((theirs.folder / "reports/saga/report.json").read_text(encoding="utf-8"))
    return {one["name"].partition("::")[2]: one for one in report["scenarios"]}


def expect_all_as_it_should_be(theirs: Any, *options: str) -> str:
    """Their tests pass, the report is whole, and what is wrong in their sagas is in it."""
    ran = theirs.run("pytest", "-p", "no:cacheprovider", *options)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "7 passed, 2 xfailed" in ran.stdout
    found = scenarios(theirs)
    wrong = {name for name, one in found.items() if one["findings"]}
    assert wrong == {"test_the_naive_refund", "test_the_agent_may_give_up_at_any_time"}
    assert "compensated-is-clean" in {one["check"] for one in found["test_the_naive_refund"]["findings"]}
    assert "<html" in (theirs.folder / "reports/saga/report.html").read_text(encoding="utf-8")
    return str(ran.stdout)


@pytest.mark.parametrize("release", PYTHONS)
def test_their_tests_pass_with_the_newest_of_all(release: str, theirs: Callable[..., Any]) -> None:
    repo = theirs(PYTHONS[release], "pytest>=9\n")

    said = expect_all_as_it_should_be(repo, "-n2", "--saga-coverage")

    assert f"Python {release}." in said
    assert "2 workers [9 items]" in said
    assert re.search(r"^src/inn/naive\.py .* 100%", said, re.MULTILINE), "coverage missed their saga"
    assert "undo code not reached: src/inn/right.py:38\n" in said, "of what the workers measured together"
    measured = {name: one["code"]["undos"] for name, one in scenarios(repo).items()}
    assert {undo["file"] for undo in measured["test_the_naive_refund"]} == {"src/inn/naive.py"}


@pytest.mark.parametrize("release", PYTHONS)
def test_their_tests_pass_with_the_oldest_that_we_allow(
    release: str, theirs: Callable[..., Any], lowest: str
) -> None:
    repo = theirs(PYTHONS[release], lowest)

    said = expect_all_as_it_should_be(repo, "--no-cov", "--saga-coverage")

    assert "undo code not reached: src/inn/right.py:38\n" in said, "of a measurement of our own"
    assert repo.version("pytest") == "8.0.0"
    listed = repo.run("sagaproof", "list")
    assert "credit-runtime" in listed.stdout, listed.stderr
    assert repo.run("sagaproof", "run", "--help").returncode == 0


def test_their_tests_pass_with_the_last_pytest_8(theirs: Callable[..., Any]) -> None:
    repo = theirs(next(iter(PYTHONS.values())), "pytest<9\n")

    expect_all_as_it_should_be(repo, "--no-cov")

    assert repo.version("pytest").startswith("8.")
    ran = repo.run("sagaproof", "run", "tests/test_refund.py::test_the_right_refund_leaves_nothing")
    assert ran.returncode == 0, ran.stdout + ran.stderr
