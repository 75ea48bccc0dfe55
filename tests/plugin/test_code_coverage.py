"""What a user sees of --saga-coverage: the undo lines that no fault has reached, beside pytest-cov or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

SAGA = """
    import httpx
    from shop import send

    def two_orders():
        first = send("POST", "/orders", {"amount": 300})
        try:
            send("POST", "/orders", {"amount": 400})
        except (httpx.HTTPError, ValueError):
            void(first)
            return "compensated"

    def void(order):
        if order.get("kept"):
            raise RuntimeError("no fault makes an order that is kept")
        send("POST", f"/orders/{order['id']}/void")

    def recover(world):
        for order in list(world.shop.orders.rows):
            tidy(order)
        return "compensated"

    def tidy(order):
        send("POST", f"/orders/{order}/void")
"""
TESTS = """
    import pytest
    from sagaproof import explore
    from shop import Shop
    from saga import recover, two_orders

    @pytest.mark.xfail(reason="forgets a lost answer")
    @explore(systems=[Shop], families=["outage", "lost answer"])
    def test_orders(world):
        return two_orders()
"""
CRASHES = TESTS.replace('["outage", "lost answer"]', '["crash"], recover=recover, crash="real"')
NOT_REACHED = "undo code not reached: saga.py:14"

pytestmark = pytest.mark.slow


def code(ran: Any) -> dict[str, Any]:
    (scenario,) = json.loads(ran.text("out/report.json"))["scenarios"]
    found: dict[str, Any] = scenario["code"]
    return found


def test_alone_it_measures_by_itself_and_leaves_no_file(example: Any) -> None:
    ran = example({"saga": SAGA, "test_it": TESTS}).run(
        "--saga-coverage", "--saga-report=out", "-p", "no:cov", apart=True
    )

    ran.came_to(0, xfailed=1).says(NOT_REACHED)
    (void,) = (undo for undo in code(ran)["undos"] if undo["function"] == "void")
    assert (void["file"], void["missing"]) == ("saga.py", [14])
    assert [line["line"] for line in void["lines"]] == [13, 15]
    assert "503" in void["lines"][1]["faults"]
    assert NOT_REACHED in ran.text("out/report.html")
    assert NOT_REACHED in ran.text("out/console.txt")
    assert not [path for path in ran.folder.iterdir() if path.name.startswith(".coverage")]


def test_beside_pytest_cov_its_report_is_what_it_was(example: Any) -> None:
    made = example({"saga": SAGA, "test_it": TESTS})
    options = ("--cov=saga", "--cov-branch", "--cov-context=test", "--cov-report=json")

    measured = []
    for more in ((), ("--saga-coverage",)):
        ran = made.run(*options, *more, apart=True).came_to(0, xfailed=1)
        found = json.loads(ran.text("coverage.json"))
        measured.append((found["files"], found["totals"]))

    ran.says(NOT_REACHED)
    assert measured[0] == measured[1]
    assert measured[1][1]["covered_branches"] > 0


def test_what_killed_processes_ran_is_in_it(example: Any) -> None:
    ran = example({"saga": SAGA, "test_it": CRASHES.replace("reason=", "strict=False, reason=")}).run(
        "--saga-coverage", "--saga-report=out", "--saga-faults=1", "-p", "no:cov", apart=True
    )

    ran.says("1 explored test")
    (tidy,) = (undo for undo in code(ran)["undos"] if undo["function"] == "tidy")
    assert tidy["missing"] == []
    assert {fault for line in tidy["lines"] for fault in line["faults"]} >= {"crash-after"}


def test_without_the_option_nothing_is_told_of_it(example: Any) -> None:
    ran = example({"saga": SAGA, "test_it": TESTS}).run("--saga-report=out", "-p", "no:cov", apart=True)

    ran.does_not_say("undo code")
    assert code(ran) is None


def test_the_project_can_ask_for_it(example: Any) -> None:
    settings = "[tool.sagaproof]\ncoverage = true\n"

    example({"saga": SAGA, "test_it": TESTS, "pyproject.toml": settings}).run(
        "-p", "no:cov", apart=True
    ).says(NOT_REACHED)
