"""Parts of several processes come together in one order, and none is missed in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagaproof._report.parts import merge_parts, write_part
from sagaproof._report.schema import Report


@pytest.fixture
def parts(report: Report) -> dict[str, Report]:
    one = report.scenarios[0]
    return {name: Report(scenarios=(one.model_copy(update={"name": name}),)) for name in "cab"}


def test_parts_come_together_by_name_whoever_wrote_first(tmp_path: Path, parts: dict[str, Report]) -> None:
    for order in ("cab", "bca"):
        for name in order:
            write_part(parts[name], tmp_path / order)
    merged = merge_parts(tmp_path / "cab")
    assert [scenario.name for scenario in merged.scenarios] == ["a", "b", "c"]
    assert merged == merge_parts(tmp_path / "bca")
    assert merged.problems == ()


def test_the_same_scenario_again_replaces_its_part(tmp_path: Path, parts: dict[str, Report]) -> None:
    assert write_part(parts["a"], tmp_path) == write_part(parts["a"], tmp_path)
    assert len(merge_parts(tmp_path).scenarios) == 1


def test_a_torn_part_is_named_and_the_others_are_kept(tmp_path: Path, parts: dict[str, Report]) -> None:
    write_part(parts["a"], tmp_path)
    torn = write_part(parts["b"], tmp_path)
    torn.write_bytes(torn.read_bytes()[:200])
    merged = merge_parts(tmp_path)
    assert [scenario.name for scenario in merged.scenarios] == ["a"]
    assert len(merged.problems) == 1
    assert torn.name in merged.problems[0]
    assert merged.exit_code == 3


def test_a_part_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.part.json").write_bytes(b"\xff\xfe")
    assert "x.part.json" in merge_parts(tmp_path).problems[0]


def test_a_part_whose_writer_was_killed_is_named(tmp_path: Path) -> None:
    (tmp_path / ".x.part.json.42.part").write_text("{")
    assert "never finished" in merge_parts(tmp_path).problems[0]


def test_no_folder_gives_an_empty_report(tmp_path: Path) -> None:
    assert merge_parts(tmp_path / "none") == Report()
