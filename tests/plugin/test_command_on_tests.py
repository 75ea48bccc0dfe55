"""The command `sagaproof` on explored tests: FILE or FILE::TEST."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.slow

TESTS = """
    from sagaproof import explore
    from shop import Shop, read_only, two_orders

    @explore(systems=[Shop], faults=1)
    def test_right(world):
        print("noise of the saga")
        return read_only()

    @explore(systems=[Shop], faults=1)
    def test_wrong(world):
        return two_orders()

    def test_plain(): pass
"""


def test_json_is_one_object_and_all_else_goes_to_standard_error(example: Any) -> None:
    ran = example({"test_it": TESTS}).command("run", "test_it.py", "--json")

    assert ran.result.ret == 1
    found = json.loads(ran.output)
    assert [(one["name"], one["exit_code"]) for one in found["scenarios"]] == [
        ("test_it.py::test_right", 0),
        ("test_it.py::test_wrong", 1),
    ]
    assert "test session starts" in ran.errors


def test_options_reach_the_tests_and_a_clean_one_ends_with_0(example: Any) -> None:
    ran = example({"test_it": TESTS}).command("run", "test_it.py::test_right", "--faults=0")

    assert ran.result.ret == 0
    ran.says("1 explored test: 1 clean; 1 run, 0 findings")


def test_a_plan_is_replayed(example: Any) -> None:
    ran = example({"test_it": TESTS}).command("replay", "test_it.py::test_wrong", "shop.place.2=lost")

    assert ran.result.ret == 1
    ran.says("findings in the replay of shop.place.2=lost")


def test_an_unknown_operation_ends_with_3(example: Any) -> None:
    ran = example({"test_it": TESTS}).command("replay", "test_it.py::test_wrong", "shop.plase.2=lost")

    assert ran.result.ret == 3
    ran.says("Did you mean 'shop.place'?")


def test_a_file_without_explored_tests_ends_with_3(example: Any) -> None:
    ran = example({"test_it": TESTS}).command("run", "test_it.py::test_plain")

    assert ran.result.ret == 3
    ran.says("error: no explored test ran in test_it.py::test_plain")


def test_the_users_workers_are_not_used(example: Any) -> None:
    made = example({"test_it": TESTS, "pytest.ini": "[pytest]\naddopts = -n2\n"})

    assert made.command("run", "test_it.py::test_right").result.ret == 0


def test_a_report_is_written(example: Any) -> None:
    ran = example({"test_it": TESTS}).command("run", "test_it.py", "--report", "out", "--stable")

    assert ran.result.ret == 1
    assert json.loads(ran.text("out/report.json"))["scenarios"][1]["status"] == "findings"
