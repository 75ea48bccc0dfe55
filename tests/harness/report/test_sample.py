"""The committed sample is what the bundled scenario gives today, byte for byte under the lock file.

With SAGAPROOF_SAMPLE=write it is made again instead.
"""

from __future__ import annotations

import logging
import os
import re
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._report.build import build
from sagaproof._report.json_file import from_json
from sagaproof._report.whole import write_reports
from sagaproof._search.expected import Outcome
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings

REPO: Final = Path(__file__).parents[3]
SAMPLE: Final = REPO / "reports" / "sample"
SCENARIO: Final = "credit-mail-first"
SETTINGS: Final = Settings(faults=2, families=("outage", "lost answer"), durations=("once",))
MAKE_AGAIN: Final = (
    "SAGAPROOF_SAMPLE=write ./dev test tests/harness/report/test_sample.py makes the sample again. "
    "Read the difference, then commit it."
)
# What the words in a world and the layout of a report hang on.
BYTES_HANG_ON: Final = ("faker", "httpx", "jinja2", "pydantic", "rich")


def is_locked() -> bool:
    """Whether the installed packages are those of the lock file."""
    lock = (REPO / "requirements.lock").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==([^\\\s;]+)", lock, flags=re.MULTILINE))
    return all(pinned.get(name) == version(name) for name in BYTES_HANG_ON)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of the sample, made anew."""
    folder = SAMPLE if os.environ.get("SAGAPROOF_SAMPLE") == "write" else tmp_path_factory.mktemp("sample")
    logging.disable(logging.CRITICAL)
    try:
        campaign = explore(subject_of_scenario(scenario(SCENARIO)), SETTINGS)
    finally:
        logging.disable(logging.NOTSET)
    return write_reports(build([Outcome(campaign)], stable=True), folder)


@pytest.mark.slow
def test_the_sample_is_what_the_scenario_gives(made: list[Path]) -> None:
    if not is_locked():
        pytest.skip("needs the packages of requirements.lock")
    assert sorted(path.name for path in SAMPLE.iterdir()) == sorted(path.name for path in made)
    for path in made:
        assert (SAMPLE / path.name).read_bytes() == path.read_bytes(), f"{path.name} differs. {MAKE_AGAIN}"


@pytest.mark.slow
def test_the_sample_has_the_schema_of_today(made: list[Path]) -> None:
    sample, now = (
        from_json((folder / "report.json").read_text("utf-8")) for folder in (SAMPLE, made[0].parent)
    )
    assert sample.schema_ == now.schema_
    assert [one.name for one in sample.scenarios] == [one.name for one in now.scenarios] == [SCENARIO]


def test_the_sample_shows_what_a_reader_looks_for() -> None:
    (found,) = from_json((SAMPLE / "report.json").read_text("utf-8")).scenarios
    assert found.status == "findings"
    assert {len(finding.faults) for finding in found.findings} == {1, 2}
    assert all(row.complete for row in found.tally if row.attempted)
