"""The house keeps its shape: what lies in the roots, what committed files may name, what the lock pins."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).parents[1]

# A stray file in a root can be imported from a checkout and is missing from the wheel.
ROOTS = {
    "harness": {"sagaproof", "_sagaproof_pytest.py"},
    "fake_systems": {"sagaproof_fakes"},
    "scenarios": {"sagaproof_scenarios"},
}
IN_ANY_ROOT = {"README.md", "__pycache__"}

# Taken apart, so that this file does not name them itself.
HOSTS = ["pypi" + ".org", "python" + "hosted", "npm" + "js", "debian" + ".org", "crates" + ".io"]
PATHS = ["/" + "work/", "/" + "root/"]

README_LINES_MAX = 30


def strays(root: Path, packed: set[str]) -> list[str]:
    """Name what lies in `root` and is neither packed into the wheel nor its README."""
    return sorted(entry.name for entry in root.iterdir() if entry.name not in packed | IN_ANY_ROOT)


def committed() -> list[Path]:
    """List the files that git has under control and that are there."""
    git = shutil.which("git")
    if git is None or not (REPO / ".git").exists():
        pytest.skip("needs git and a checkout")
    listing = subprocess.run([git, "ls-files", "-z"], cwd=REPO, check=True, capture_output=True, text=True)
    return [path for name in listing.stdout.split("\0") if name and (path := REPO / name).is_file()]


def project() -> dict[str, Any]:
    return tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("root", ROOTS)
def test_root_holds_only_what_the_wheel_packs(root: str) -> None:
    packed = ROOTS[root]
    found = strays(REPO / root, packed)
    assert not found, (
        f"{root}/ holds {', '.join(found)}, importable here and missing from the wheel. Move it into "
        f"{root}/{min(packed - {'_sagaproof_pytest.py'})}/, or to tests/ if only tests use it."
    )


def test_stray_in_a_root_is_seen(tmp_path: Path) -> None:
    for name in ("sagaproof_scenarios", "refund_extra", "__pycache__"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").touch()
    assert strays(tmp_path, ROOTS["scenarios"]) == ["refund_extra"]


def test_wheel_packs_just_the_roots() -> None:
    build = project()["tool"]["hatch"]["build"]
    assert build["dev-mode-dirs"] == list(ROOTS)
    assert set(build["targets"]["wheel"]["packages"]) == {
        f"{root}/{name}" for root in ROOTS for name in ROOTS[root]
    }


@pytest.mark.parametrize("root", ROOTS)
def test_package_says_that_it_is_typed(root: str) -> None:
    assert list((REPO / root).glob("sagaproof*/py.typed"))


@pytest.mark.parametrize("needle", HOSTS + PATHS)
def test_no_committed_file_names_a_registry_or_a_machine(needle: str) -> None:
    naming = [str(path.relative_to(REPO)) for path in committed() if needle.encode() in path.read_bytes()]
    assert not naming, f"{', '.join(naming)} names {needle!r}. Take it out: it is true of one machine only."


@pytest.mark.parametrize("folder", [*ROOTS, "tests", "reports"])
def test_top_folder_explains_itself_briefly(folder: str) -> None:
    lines = (REPO / folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert 1 <= len(lines) <= README_LINES_MAX


def test_lock_pins_each_dependency_with_hashes() -> None:
    settings = project()
    asked = [*settings["project"]["dependencies"], *settings["dependency-groups"]["dev"]]
    lock = (REPO / "requirements.lock").read_text(encoding="utf-8")
    lines = re.findall(r"^[^\s#].*$", lock, flags=re.MULTILINE)
    pinned = set(re.findall(r"^([\w.-]+)==[^\\]+ \\\n    --hash=", lock, flags=re.MULTILINE))

    assert len(pinned) == len(lines), "a line of requirements.lock has no version or no hash"
    missing = {re.split(r"[^\w.-]", line)[0] for line in asked} - pinned
    assert not missing, f"requirements.lock lacks {', '.join(sorted(missing))}. Run ./dev lock, commit both."
