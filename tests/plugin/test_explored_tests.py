"""What a user sees of tests under @explore."""

from __future__ import annotations

import re
from typing import Any

import pytest

HEAD = "from sagaproof import explore\nfrom shop import *\n"
READ_ONLY = HEAD + "@explore(systems=[Shop])\ndef test_right(world):\n    return read_only()\n"
TWO_ORDERS = HEAD + "@explore(systems=[Shop], faults=1)\ndef test_wrong(world):\n    return two_orders()\n"


def test_a_saga_that_is_right_passes_with_one_line_for_all(example: Any) -> None:
    ran = example(
        {"test_it": HEAD + "@explore(systems=[Shop])\ndef test_right(world):\n    return read_only()\n"}
    ).run()

    ran.came_to(0, passed=1).shows(r"1 explored test: 1 clean; \d+ runs, 0 findings")
    ran.does_not_say("k<=2")


def test_verbose_shows_the_tally_of_each_test(example: Any) -> None:
    ran = example({"test_it": READ_ONLY}).run("-v")

    ran.came_to(0, passed=1).shows(r"test_it.py::test_right  no finding in \d+ runs \(k<=2 complete: ")


def test_a_finding_is_a_card_with_the_users_line_and_a_replay_line(example: Any) -> None:
    ran = example({"test_it": TWO_ORDERS}).run()

    ran.came_to(1, failed=1).says(
        " compensated-is-clean       said 'compensated', but shop.place or_2 (400) still",
        "   2 shop.place 400  timeout  or_2   <- fault 1: applied, timeout",
        "(asked for at shop.py:",
        "   replay  pytest 'test_it.py::test_wrong' --saga-plan=shop.place.2=lost",
        "1 explored test: 0 clean, 1 with findings;",
    )
    ran.does_not_say("Traceback", "CampaignFailed", "pytest_session.py")


def test_short_summary_is_the_headline(example: Any) -> None:
    ran = example({"test_it": TWO_ORDERS}).run()

    line = next(line for line in ran.output.splitlines() if line.startswith("FAILED"))
    assert line.startswith("FAILED test_it.py::test_wrong - ")
    assert re.search(r"- \d+ findings in (\d+) runs \(k<=1 complete: \1 = \1 run\)$", line)


def test_tb_line_names_the_test_by_file_and_line(example: Any) -> None:
    example({"test_it": TWO_ORDERS}).run("--tb=line").says("test_it.py:3: ")


def test_an_async_body_gets_a_loop_for_each_run(example: Any) -> None:
    text = """
        import asyncio
        from sagaproof import explore
        from shop import Shop, send_async

        loops = set()

        @explore(systems=[Shop])
        async def test_it(world):
            assert asyncio.get_running_loop() not in loops
            loops.add(asyncio.get_running_loop())
            await send_async("GET", "/orders")

        def test_that_there_were_many():
            assert len(loops) > 10
    """
    example({"test_it": text}).run("-v").came_to(0, passed=2)


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_pytest_asyncio_leaves_explored_tests_alone(example: Any, mode: str) -> None:
    text = """
        import asyncio
        from sagaproof import explore
        from shop import Shop, send_async

        @explore(systems=[Shop])
        async def test_explored(world):
            await send_async("GET", "/orders")

        async def test_plain(world):
            assert await send_async("GET", "/orders") == {"data": []}
    """
    ini = f"[pytest]\nasyncio_mode = {mode}\nasyncio_default_fixture_loop_scope = function\n"
    toml = '[tool.sagaproof]\nsystems = ["shop:Shop"]\n'
    marked = text.replace(
        "async def test_plain", "import pytest\n        @pytest.mark.asyncio\n        async def test_plain"
    )
    files = {"test_it": text if mode == "auto" else marked, "pytest.ini": ini, "pyproject.toml": toml}

    example(files).run("-p", "pytest_asyncio.plugin").came_to(0, passed=2)


def test_methods_parameters_and_wider_fixtures_reach_the_body(example: Any) -> None:
    text = """
        import pytest
        from sagaproof import explore
        from shop import Shop, send

        @pytest.fixture(scope="module")
        def path():
            return "/orders"

        class TestShop:
            wanted = []

            @pytest.mark.parametrize("method", ["GET"])
            @explore(systems=[Shop])
            def test_it(self, world, path, method):
                assert send(method, path)["data"] == self.wanted
    """
    example({"test_it": text}).run().came_to(0, passed=1)


def test_an_autouse_fixture_is_not_the_choice_of_the_test(example: Any) -> None:
    text = """
        import pytest
        from sagaproof import explore
        from shop import Shop, read_only

        @pytest.fixture(autouse=True)
        def always(): pass

        @explore(systems=[Shop])
        def test_it(world):
            return read_only()
    """
    example({"test_it": text}).run().came_to(0, passed=1)


def test_skip_and_xfail_in_the_body_behave_as_usual(example: Any) -> None:
    text = """
        import pytest
        from sagaproof import explore
        from shop import Shop

        @explore(systems=[Shop])
        def test_skipped(world):
            pytest.skip("not today")

        @explore(systems=[Shop])
        def test_expected_to_fail(world):
            pytest.xfail("known")
    """
    example({"test_it": text}).run("-rs").came_to(0, skipped=1, xfailed=1).says("not today")


def test_an_xfail_mark_takes_the_findings(example: Any) -> None:
    text = TWO_ORDERS.replace("@explore", "import pytest\n@pytest.mark.xfail(reason='naive')\n@explore")

    example({"test_it": text}).run().came_to(0, xfailed=1)


def test_an_assertion_of_the_body_is_a_finding(example: Any) -> None:
    text = HEAD + "@explore(systems=[Shop])\ndef test_it(world):\n    read_only()\n    assert 1 == 2\n"

    example({"test_it": text}).run().came_to(1, failed=1).says("user-assertion", "assert 1 == 2")


def test_exitfirst_stops_after_a_finding(example: Any) -> None:
    example({"test_it": TWO_ORDERS + "def test_later(): pass\n"}).run("-x").came_to(failed=1)


def test_deselected_tests_are_not_explored(example: Any) -> None:
    example({"test_it": TWO_ORDERS + "def test_other(): pass\n"}).run("-k", "other").came_to(
        0, passed=1, deselected=1
    )


AGENT = """
    import httpx
    from sagaproof import Answer, Script, ToolCall, explore
    from shop import Shop, send

    class Dispatcher:
        def __init__(self):
            self.undos = []

        def call(self, tool, args, call_id):
            answer = send("POST", "/orders", args)
            self.undos.append(answer["id"])
            return answer

        def give_up(self):
            for key in reversed(self.undos):
                send("POST", f"/orders/{key}/void")
            return "compensated"

        def finish(self):
            return "completed"

    scripts = [Script("two", (ToolCall("place", {"amount": 1}), ToolCall("place", {"amount": 2})))]

    @explore(systems=[Shop], faults=1, agent=Dispatcher, scripts=scripts)
    def test_agent(world):
        world.shop.orders.put("old", {"id": "old", "amount": 7, "status": "open"})
"""


def test_an_agent_is_fed_its_scripts_after_the_set_up_of_the_body(example: Any) -> None:
    ran = example({"test_it": AGENT}).run(
        "--saga-plan=shop.place.2=lost", "--saga-script=two, given up after 2"
    )

    ran.came_to(1, failed=1).says(
        "--saga-script='two, given up after 2'", "in the replay of shop.place.2=lost"
    )


def test_an_unknown_script_is_named_with_the_nearest(example: Any) -> None:
    ran = example({"test_it": AGENT}).run("--saga-script=too")

    ran.came_to(1, failed=1).says(
        "harness error: usage: test_it.py::test_agent has no script 'too'", "Did you mean 'two'?"
    )


def test_user_checks_and_invariants_are_judged_and_a_check_can_be_skipped(example: Any) -> None:
    text = """
        from sagaproof import Verdict, explore
        from sagaproof import RunCheck
        from shop import Shop, two_orders

        class Never:
            slug = "never-two"
            def applies(self, facts): return True
            def judge(self, history):
                from sagaproof._checks.protocol import HELD, violated
                return violated("two orders were placed") if len(history.effects) == 2 else HELD

        def at_most_one(world):
            return len(world.shop.orders) < 2

        skipped = {"compensated-is-clean": "replaced by ours"}

        @explore(systems=[Shop], faults=0, checks=[Never()], invariants=[at_most_one], skip_checks=skipped)
        def test_it(world):
            return two_orders()
    """
    ran = example({"test_it": text}).run("--saga-report=out")

    ran.came_to(1, failed=1).says("never-two", "two orders were placed", "at_most_one")
    assert '"compensated-is-clean"' not in ran.text("out/report.json")
    ran.says("note: check compensated-is-clean is skipped: replaced by ours")


def test_the_folder_of_each_run_is_empty_and_gone_at_the_end(example: Any) -> None:
    text = """
        from sagaproof import explore
        from shop import Shop, read_only

        paths = set()

        @explore(systems=[Shop], faults=1)
        def test_it(world):
            assert list(world.path.iterdir()) == []
            (world.path / "note").write_text("mine")
            paths.add(world.path)
            return read_only()

        def test_after():
            assert paths
            assert not any(path.exists() for path in paths)
    """
    example({"test_it": text}).run().came_to(0, passed=2)


def test_called_like_a_function_it_explores_and_raises_on_findings(example: Any) -> None:
    text = """
        import pytest
        from sagaproof import World, explore
        from shop import Shop, read_only, two_orders

        @explore(faults=1)
        def right(world):
            return read_only()

        @explore(systems=[Shop], faults=1)
        def wrong():
            return two_orders()

        def test_with_a_world():
            assert right(World({"shop": Shop()})) is None

        def test_without_one():
            with pytest.raises(AssertionError, match="findings in .* runs") as caught:
                wrong()
            assert "compensated-is-clean" in str(caught.value)
            assert len(caught.value.campaign.findings) > 1
    """
    example({"test_it": text}).run().came_to(0, passed=2)


def test_a_method_of_a_unittest_case_fails_with_its_findings(example: Any) -> None:
    text = """
        import unittest
        from sagaproof import explore
        from shop import Shop, two_orders

        class TestShop(unittest.TestCase):
            @explore(systems=[Shop], faults=1)
            def test_it(self):
                return two_orders()
    """
    example({"test_it": text}).run().came_to(1, failed=1).says(" findings in ", "compensated-is-clean")
