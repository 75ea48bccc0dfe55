"""--saga-report: one report of all explored tests, whole or absent."""

from __future__ import annotations

import json
from typing import Any

TESTS = """
    from sagaproof import explore
    from shop import Shop, read_only, two_orders

    @explore(systems=[Shop], faults=1)
    def test_wrong(world):
        return two_orders()

    @explore(systems=[Shop], faults=1)
    def test_right(world):
        return read_only()

    @explore(systems=["nope"])
    def test_broken(world): pass
"""


def test_the_report_has_each_explored_test_those_with_harness_errors_too(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("--saga-report=out")

    ran.says("report: out/report.json", "report: out/report.html")
    found = json.loads(ran.text("out/report.json"))
    assert {scenario["name"]: scenario["status"] for scenario in found["scenarios"]} == {
        "test_it.py::test_broken": "error",
        "test_it.py::test_right": "clean",
        "test_it.py::test_wrong": "findings",
    }
    assert sorted(path.name for path in (ran.folder / "out").iterdir()) == [
        "console.txt",
        "report.html",
        "report.json",
    ]


def test_the_folder_can_be_set_in_pyproject_from_its_root(example: Any) -> None:
    made = example({"test_it": TESTS, "pyproject.toml": '[tool.sagaproof]\nreport = "made/here"\n'})
    made.run("-k", "right").came_to(0, passed=1, deselected=2)

    assert (made.path / "made/here/report.json").is_file()


def test_stable_reports_are_the_same_bytes_with_each_run(example: Any) -> None:
    made = example({"test_it": TESTS})
    for folder in ("one", "two"):
        made.run(f"--saga-report={folder}", "--saga-stable")

    for name in ("report.json", "report.html", "console.txt"):
        one, two = ((made.path / folder / name).read_text(encoding="utf-8") for folder in ("one", "two"))
        assert one == two
        assert str(made.path) not in one


def test_parts_of_a_run_that_was_killed_do_not_get_into_the_next_report(example: Any) -> None:
    made = example({"test_it": TESTS, "out/.parts/0000.part.json": "{"})

    ran = made.run("--saga-report=out", "-k", "right").came_to(0, passed=1, deselected=2)

    assert json.loads(ran.text("out/report.json"))["problems"] == []


def test_without_an_explored_test_there_is_no_report(example: Any) -> None:
    ran = example({"test_it": "def test_it(): pass\n"}).run("--saga-report=out")

    ran.came_to(0, passed=1).says("no explored test ran to its end, so there is no report")
    assert not (ran.folder / "out/report.json").exists()


def test_a_folder_that_cannot_be_written_fails_the_session(example: Any) -> None:
    ran = example({"test_it": TESTS, "out.txt": "in the way"}).run("--saga-report=out.txt", "-k", "right")

    ran.says("harness error: ", "cannot be written")
    assert ran.result.ret == 1


def test_collecting_alone_writes_nothing(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("--saga-report=out", "--collect-only")

    assert ran.result.ret == 0
    assert not (ran.folder / "out").exists()
