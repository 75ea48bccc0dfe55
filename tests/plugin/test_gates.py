"""Gates, baseline and other forms of the report, as options of pytest."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

TESTS = """
    from sagaproof import explore
    from shop import Shop, read_only, two_orders

    @explore(systems=[Shop], faults=1, families=["outage", "lost answer"])
    def test_wrong(world):
        return two_orders()

    @explore(systems=[Shop], faults=1, families=["outage", "lost answer"])
    def test_right(world):
        return read_only()
"""
RIGHT = ("-k", "right")
WRONG = ("-k", "wrong")


@pytest.fixture
def made(example: Any) -> Any:
    return example({"test_it": TESTS})


def test_enough_covered_cells_pass_and_too_few_fail_the_run(made: Any) -> None:
    made.run("--saga-fail-under=95", *RIGHT).came_to(0, passed=1, deselected=1)

    ran = made.run("--saga-fail-under=95", "--saga-runs=1", *RIGHT)
    assert ran.result.ret == 1
    ran.shows(r"gate not passed: fail-under: \d of \d+ cells are covered")


def test_what_is_required_and_covered_passes_and_what_is_not_fails(made: Any) -> None:
    made.run("--saga-require=forward,lost-answer", *RIGHT).came_to(0, passed=1, deselected=1)

    made.run("--saga-require=forward,undo", *RIGHT).came_to(1, passed=1, deselected=1).says(
        "gate not passed: require undo: no cell of it can be covered"
    )


UNDOING = """
    import httpx
    from sagaproof import explore
    from shop import Shop

    @explore(systems=[Shop], faults=1, families=["rejection"])
    def test_it(world):
        with httpx.Client(timeout=5) as http:
            order = http.post("https://shop.test/orders", json={"amount": 1}).raise_for_status().json()
            try:
                http.post("https://shop.test/orders", json={"amount": 2}).raise_for_status()
            except httpx.HTTPError:
                http.post(f"https://shop.test/orders/{order['id']}/void").raise_for_status()
                return "compensated"
"""


def test_a_phase_that_takes_one_fault_more_is_told_so(example: Any) -> None:
    made = example({"test_it": UNDOING})

    made.run("--saga-require=undo").came_to(1, passed=1).says(
        "no run without a fault came to such a point, and there are no more than 1 (faults=1)",
        "Test a saga that gets there, with more faults if need be, or ask for less",
    )


def test_a_misspelt_gate_is_refused_before_anything_runs(made: Any) -> None:
    ran = made.run("--saga-require=udno")

    ran.says("there is no phase or family 'udno'", "Did you mean 'undo'?")
    assert ran.result.ret == pytest.ExitCode.USAGE_ERROR


def test_the_same_gates_can_be_set_for_a_project(example: Any) -> None:
    settings = '[tool.sagaproof]\nrequire = ["undo"]\nfail_under = 10\n'
    made = example({"test_it": TESTS, "pyproject.toml": settings})

    made.run(*RIGHT).came_to(1, passed=1, deselected=1).says("gate not passed: require undo")
    made.run("--saga-require=forward", *RIGHT).came_to(0, passed=1, deselected=1)
    made.run("--saga-plan=", *RIGHT).came_to(0, passed=1, deselected=1)


def test_gates_without_an_explored_test_prove_nothing(example: Any) -> None:
    made = example({"test_it": "def test_it(): pass\n"})

    made.run("--saga-fail-under=1").came_to(1, passed=1).says("gate not passed: no explored test ran")


@pytest.mark.slow
def test_a_baseline_is_written_needs_reasons_and_then_lets_pass(made: Any) -> None:
    written = made.run("--saga-write-baseline=known.toml", *WRONG)
    written.came_to(1, failed=1, deselected=1).shows(r"baseline: \d+ new, 0 kept in .*give each a reason")
    made.run("--saga-baseline=known.toml", *WRONG).says("there is no reason (entry 1 in")

    file = made.path / "known.toml"
    file.write_text(
        file.read_text(encoding="utf-8").replace('reason = ""', 'reason = "OPS-7"'), encoding="utf-8"
    )
    ran = made.run("--saga-baseline=known.toml", *WRONG).came_to(0, passed=1, deselected=1)
    ran.says("1 explored test: 0 clean, 1 with known findings")


def test_an_entry_that_has_expired_or_fits_nothing_is_told(made: Any) -> None:
    text = '[[known]]\ncheck = "rest-is-rest"\nreason = "OPS-7"\nexpires = 2001-01-01\n'
    (made.path / "known.toml").write_text(text, encoding="utf-8")

    made.run("--saga-baseline=known.toml", *RIGHT).came_to(0, passed=1, deselected=1).says(
        "baseline: rest-is-rest is no longer found. Take the entry out"
    )


def test_junit_and_markdown_are_written(made: Any) -> None:
    ran = made.run("--saga-junit=out/j.xml", "--saga-markdown=out/m.md")

    ran.came_to(1, passed=1, failed=1).says("report: ", "out/j.xml", "out/m.md")
    suites = {suite.get("name"): suite for suite in ET.fromstring(ran.text("out/j.xml"))}
    assert set(suites) == {"test_it.py::test_right", "test_it.py::test_wrong"}
    assert int(suites["test_it.py::test_wrong"].get("failures", "0")) > 0
    assert "| `test_it.py::test_right` | clean | 0 |" in ran.text("out/m.md")


def test_the_summary_of_a_step_on_github_is_appended_to(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (made.path / "step.md").write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(made.path / "step.md"))

    made.run(*RIGHT).came_to(0, passed=1, deselected=1)

    assert (made.path / "step.md").read_text(encoding="utf-8").startswith("before\n## sagaproof: no finding")


@pytest.mark.slow
def test_workers_come_together_in_one_report(made: Any) -> None:
    pytest.importorskip("xdist", reason="needs pytest-xdist")

    ran = made.run("-p", "xdist", "-n2", "--saga-fail-under=50", "--saga-junit=j.xml")

    ran.came_to(1, passed=1, failed=1)
    assert [one.get("name") for one in ET.fromstring(ran.text("j.xml"))] == [
        "test_it.py::test_right",
        "test_it.py::test_wrong",
        "sagaproof",
    ]
