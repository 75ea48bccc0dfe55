"""A report is whole or absent, whatever stops its writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagaproof._report.json_file import from_json
from sagaproof._report.schema import Report
from sagaproof._report.whole import FORMATS, write_reports, write_whole
from sagaproof.errors import UsageError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_format_is_a_file(report: Report, tmp_path: Path) -> None:
    paths = write_reports(report, tmp_path / "deep" / "down")
    assert [path.name for path in paths] == ["report.json", "report.html", "console.txt"]
    assert names(tmp_path / "deep" / "down") == sorted(path.name for path in paths)
    assert from_json(paths[0].read_text(encoding="utf-8")) == report


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_can_be_written_alone(report: Report, tmp_path: Path, name: str) -> None:
    assert len(write_reports(report, tmp_path, [name])) == len(names(tmp_path)) == 1


def test_an_unknown_format_is_refused_before_anything_is_written(report: Report, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'json'"):
        write_reports(report, tmp_path, ["html", "jsn"])
    assert names(tmp_path) == []


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError(28, "No space left on device", "x")])
def test_what_stops_the_writing_leaves_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruption: BaseException | type[BaseException]
) -> None:
    one, other = tmp_path / "a", tmp_path / "b"
    write_whole({one: "old", other: "old"})

    def stop(_: int) -> None:
        raise interruption

    monkeypatch.setattr("os.fsync", stop)
    with pytest.raises((KeyboardInterrupt, UsageError)):
        write_whole({one: "new", other: "new"})
    assert names(tmp_path) == ["a", "b"]
    assert (one.read_text(), other.read_text()) == ("old", "old")


def test_a_failure_between_two_files_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(draft: Path, target: Path) -> Path:
        raise OSError(13, f"Permission denied for {draft.name}", str(target))

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(UsageError, match="Permission denied"):
        write_whole({tmp_path / "a": "x"})
    assert names(tmp_path) == []


def test_a_folder_that_is_a_file_is_refused_with_advice(report: Report, tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("")
    with pytest.raises(UsageError, match="Choose another folder"):
        write_reports(report, tmp_path / "reports")
