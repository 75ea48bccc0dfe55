"""The wheel, and venvs of several releases with a user's repository in each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

collect_ignore = ["repo"]

HERE = Path(__file__).parent
REPO = HERE.parents[1]
TOOLS = ("pytest-cov", "pytest-xdist")

_OF_OURS = re.compile(r"PYTHON|PYTEST|COV_|COVERAGE|SAGAPROOF|VIRTUAL_ENV$|COLUMNS$|CI$|GITHUB_")
_NO_INDEX = re.compile(r"error sending request|dns error|Failed to fetch|network was disabled", re.IGNORECASE)


def call(command: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a user would, with nothing of this session in its environment."""
    kept = {name: value for name, value in os.environ.items() if not _OF_OURS.match(name)}
    kept["UV_PYTHON_DOWNLOADS"] = "never"
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, env=kept, capture_output=True, text=True, check=False)


def must(command: Sequence[str | Path], folder: Path) -> str:
    """Run a command that has to succeed. Skips if all that it lacks is a package index."""
    done = call(command, folder)
    if done.returncode and _NO_INDEX.search(done.stderr):
        pytest.skip("needs a package index")
    assert not done.returncode, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Theirs:
    """A user's checkout beside a venv that has the wheel."""

    folder: Path
    bin: Path

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return call([self.bin / name, *arguments], self.folder)

    def version(self, package: str) -> str:
        code = f"from importlib.metadata import version; print(version({package!r}))"
        return must([self.bin / "python", "-c", code], self.folder).strip()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build: list[str | Path] = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder,
        REPO,
    ]
    must(build, folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def lowest() -> str:
    """Each dependency of ours at its lower bound, as constraints."""
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return "".join(f"{bound.partition(',')[0].replace('>=', '==')}\n" for bound in project["dependencies"])


@pytest.fixture(scope="session")
def uv() -> str:
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if found is None:
        pytest.skip("needs uv")
    return found


@pytest.fixture
def theirs(uv: str, wheel: Path, tmp_path: Path) -> Callable[[Path, str], Theirs]:
    """`theirs(python, constraints)`: a venv of that Python with the wheel, and the repository beside it."""

    def make(python: Path, constraints: str) -> Theirs:
        venv, folder, limits = tmp_path / "venv", tmp_path / "inn", tmp_path / "constraints.txt"
        shutil.copytree(HERE / "repo", folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        limits.write_text(constraints, encoding="utf-8")
        must([uv, "venv", "--quiet", "--python", python, venv], tmp_path)
        install: list[str | Path] = [
            uv,
            "pip",
            "install",
            "--quiet",
            "--python",
            venv,
            "--constraint",
            limits,
        ]
        must([*install, wheel, *TOOLS, "--editable", folder], tmp_path)
        return Theirs(folder, venv / "bin")

    return make
