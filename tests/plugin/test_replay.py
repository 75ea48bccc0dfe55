"""--saga-plan: one plan, in the tests that it belongs to."""

from __future__ import annotations

from typing import Any

import pytest

TESTS = """
    from sagaproof import System, Table, explore, operation
    from shop import Shop, read_only, two_orders

    class Other(System):
        name = "other"

        @operation(cls=1)
        def look(self) -> dict:
            return {}

    @explore(systems=[Shop])
    def test_orders(world):
        return two_orders()

    @explore(systems=[Shop])
    def test_reads(world):
        return read_only()

    @explore(systems=[Other])
    def test_other(world):
        world.direct.other.look()

    def test_plain(): pass
"""


def test_a_replay_shows_the_finding_again(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("test_it.py::test_orders", "--saga-plan=shop.place.2=lost")

    ran.came_to(1, failed=1).says(
        "2 findings in the replay of shop.place.2=lost", "<- fault 1: applied, timeout"
    )


def test_a_replay_that_shows_nothing_passes(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("test_it.py::test_orders", "--saga-plan=shop.place.2=503", "-v")

    ran.came_to(0, passed=1).says("no finding in the replay of shop.place.2=503")


def test_the_empty_plan_replays_the_run_without_faults(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("test_it.py::test_orders", "--saga-plan=", "-v")

    ran.came_to(0, passed=1).says("no finding in the replay of no fault")


def test_of_several_tests_only_those_run_that_the_plan_fits(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("--saga-plan=shop.place.2=lost", "-rs")

    ran.came_to(1, failed=1, skipped=1, deselected=2).says(
        "the plan does not fit", "shop.place.2=lost was planned"
    )


def test_a_replay_that_nothing_fits_is_no_pass(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("--saga-plan=shop.place.9=lost")

    ran.came_to(1, skipped=2, deselected=2).says("harness error: 'shop.place.9=lost' was replayed in no test")


def test_a_point_that_is_not_met_is_a_harness_error(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("test_it.py::test_orders", "--saga-plan=shop.place.9=lost")

    ran.came_to(1, failed=1).says(
        "harness error: not-injected: shop.place.9=lost was planned and never met its point"
    )


def test_an_unknown_operation_is_named_with_the_nearest(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("--saga-plan=shop.plase.2=lost")

    ran.came_to(4).says(
        "there is no operation 'shop.plase' (column 1 of 'shop.plase.2=lost'). Did you mean 'shop.place'?"
    )


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (
            "shop.place.2=lst",
            "there is no fault 'lst' (column 14 of 'shop.place.2=lst'). Did you mean 'lost'?",
        ),
        ("shop.place.2", "'shop.place.2' has no '='"),
    ],
)
def test_a_plan_that_cannot_be_read_ends_the_session(example: Any, plan: str, says: str) -> None:
    example({"test_it": TESTS}).run(f"--saga-plan={plan}").came_to(4).says(says)


def test_a_plan_without_an_explored_test_ends_the_session(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("test_it.py::test_plain", "--saga-plan=shop.place.2=lost")

    ran.came_to(4).says("there is no explored test to replay 'shop.place.2=lost' in")


def test_operations_of_wrapped_tools_can_be_replayed(example: Any) -> None:
    text = """
        from sagaproof import explore
        from shop import Shop

        @explore(systems=[Shop])
        def test_it(world):
            pay = world.tool(lambda: {"id": 1}, name="pay", cls=4)
            pay()
    """
    ran = example({"test_it": text}).run("--saga-plan=tools.pay.1=lost")

    ran.came_to(1, failed=1).says("in the replay of tools.pay.1=lost")


def test_a_replay_that_finds_nothing_shows_its_calls_and_what_the_saga_said(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("test_it.py::test_reads", "--saga-plan=")

    ran.came_to(0, passed=1).says("no finding in the replay of no fault", "   1 shop.", "= said 'completed'")
