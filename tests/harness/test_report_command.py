"""`sagaproof report` on files: merged, compared, shown, refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sagaproof._doors import cli
from sagaproof._report import json_file
from sagaproof._report.json_file import as_json, from_json, json_schema
from sagaproof._report.schema import GridPart, Report, ScenarioPart, ShardPart

PUBLISHED = Path(json_file.__file__).with_name("report.schema.json")


def scenario(name: str = "it", **values: object) -> ScenarioPart:
    usual = {
        "status": "clean",
        "exit_code": 0,
        "expected_met": None,
        "runs": 0,
        "grid": GridPart(faults=(), rows=()),
    }
    empty = ("missing", "surplus", "scripts", "findings", "tally", "checks", "excluded", "notes")
    lists = dict.fromkeys((*empty, "incomplete", "errors"), ())
    return ScenarioPart.model_validate({"name": name, **usual, **lists, **values})


Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, *scenarios: ScenarioPart) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(as_json(Report(scenarios=scenarios)), encoding="utf-8")
        return str(path)

    return write


def run(*arguments: str) -> int:
    return cli.main(["report", *arguments])


def test_reports_are_merged_into_one_file_and_a_page(write: Write, tmp_path: Path) -> None:
    one, other = write("a/report.json", scenario("a")), write("b.json", scenario("b"))
    out, page = tmp_path / "out" / "all.json", tmp_path / "out" / "all.html"
    assert run("--merge", str(Path(one).parent), other, "-o", str(out), "--html", str(page)) == 0
    assert [part.name for part in from_json(out.read_text("utf-8")).scenarios] == ["a", "b"]
    assert "<html" in page.read_text("utf-8")


def test_the_exit_code_is_that_of_the_whole(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    half = scenario("a", shard=ShardPart(parts=(1,), of=3))
    other = scenario("a", shard=ShardPart(parts=(2,), of=3))
    assert run("--merge", write("1.json", half), write("2.json", other)) == 2
    assert "shard 3 of 3 is missing" in capsys.readouterr().out


def test_conflicts_are_printed(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    files = (write("1.json", scenario(revision="a1")), write("2.json", scenario(revision="b2")))
    assert run("--merge", *files) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "conflict: code it revision: a1 in" in said


def test_json_is_one_object(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    files = (write("1.json", scenario("a")), write("2.json", scenario("b")))
    assert run("--merge", *files, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["scenarios"]) == 2
    assert run("--diff", *files, "--json") == 0
    assert json.loads(capsys.readouterr().out)["gone_scenarios"] == ["a"]


def test_one_report_is_shown(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("1.json", scenario("a"))) == 0
    assert "a - " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "0 files are given"),
        (("1.json", "1.json"), "Say --merge or --diff"),
        (("--diff", "1.json"), "two files, the older first"),
        (("--merge", "--diff", "1.json", "1.json"), "two things"),
        (("--merge", "nowhere.json"), "cannot be read: No such file"),
    ],
)
def test_wrong_use_is_told(
    write: Write,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    says: str,
) -> None:
    write("1.json", scenario())
    given = [str(tmp_path / one) if one.endswith(".json") else one for one in arguments]
    assert run(*given) == 3
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"),
        ("\udcff", "it is no text"),
        ('{"schema": "sagaproof-report/1"}', "Make the report again"),
        ('{"schema": "sagaproof-report/99"}', "Read it with a newer sagaproof"),
        ('{"schema": "other/1"}', "'other/1'"),
        ('{"schema": "sagaproof-report/2", "scenarios": [{}]}', "scenarios.0.name"),
    ],
)
def test_a_damaged_or_unknown_file_is_named_and_nothing_is_written(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    bad, out = tmp_path / "bad.json", tmp_path / "out.json"
    bad.write_bytes(os.fsencode(text))
    assert run("--merge", write("1.json", scenario()), str(bad), "-o", str(out)) == 3
    said = capsys.readouterr().err
    assert says in said
    assert "bad.json" in said
    assert not out.exists()


def test_the_schema_that_is_published_is_the_one_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--schema") == 0
    text = capsys.readouterr().out
    if os.environ.get("SAGAPROOF_SCHEMA") == "write":
        PUBLISHED.write_text(text, encoding="utf-8")
    assert text == PUBLISHED.read_text("utf-8")
    assert json.loads(text)["$id"] == json_schema()["$id"] == "sagaproof-report/2"


def test_a_shard_is_named_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "order-by-hand", "--shard", "3"]) == 3
    assert "3/10 is the third of ten" in capsys.readouterr().err
