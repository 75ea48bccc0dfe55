"""Beside other plugins, other tools and other projects: each is left as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

TESTS = """
    from sagaproof import explore
    from shop import Shop, read_only, two_orders

    @explore(systems=[Shop], faults=1)
    def test_right(world):
        return read_only()

    @explore(systems=[Shop], faults=1)
    def test_wrong(world):
        return two_orders()

    def test_plain(): pass
"""


def scenarios(ran: Any) -> list[tuple[str, str]]:
    found = json.loads(ran.text("out/report.json"))
    return [(scenario["name"], scenario["status"]) for scenario in found["scenarios"]]


@pytest.mark.slow
def test_workers_of_xdist_hand_findings_and_parts_to_the_first_process(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("-n2", "--saga-report=out", "-v", apart=True)

    ran.came_to(1, passed=2, failed=1)
    ran.says(
        " runs (k<=1 complete: ",
        "test_it.py::test_right  no finding in ",
        "replay  pytest",
    )
    ran.says("2 explored tests: 1 clean, 1 with findings", "report: out/report.json")
    assert scenarios(ran) == [("test_it.py::test_right", "clean"), ("test_it.py::test_wrong", "findings")]
    assert not list((ran.folder / "out").glob(".*"))


@pytest.mark.slow
def test_shards_of_workers_make_the_report_of_one_process(example: Any) -> None:
    project = example({"test_it": TESTS.replace("faults=1", "faults=2")})
    arguments = ("--saga-stable", "-k", "right")
    for number in (1, 2):
        sharded = (f"--saga-shard={number}/2", f"--saga-report=shard{number}")
        project.run("-n2", *sharded, *arguments, apart=True).came_to(0, passed=1)
    whole = project.run("--saga-report=whole", *arguments, apart=True).came_to(0, passed=1, deselected=2)
    project.command("report", "--merge", "shard1", "shard2", "-o", "merged.json").says("merged.json")
    assert json.loads(whole.text("merged.json")) == json.loads(whole.text("whole/report.json"))


CRASH = (
    TESTS
    + """
    def test_crash():
        import os
        os._exit(9)
"""
)


@pytest.mark.slow
def test_what_was_found_before_a_worker_crashed_is_in_the_report(example: Any) -> None:
    ran = example({"test_it": CRASH}).run("-n1", "--saga-report=out", apart=True)

    ran.says("worker 'gw0' crashed")
    assert scenarios(ran) == [("test_it.py::test_right", "clean"), ("test_it.py::test_wrong", "findings")]


@pytest.mark.slow
def test_a_slip_in_the_settings_reaches_the_user_through_a_worker(example: Any) -> None:
    toml = "[tool.sagaproof]\nfault = 2\n"
    ran = example({"test_it": TESTS, "pyproject.toml": toml}).run("-n2", apart=True)

    ran.says("there is no option 'fault'").does_not_say("INTERNALERROR")
    assert ran.result.ret != 0


@pytest.mark.slow
def test_coverage_sees_the_body_of_an_explored_test(example: Any) -> None:
    ran = example({"test_it": TESTS}).run("--cov=shop", "--cov=test_it", "--cov-report=term", apart=True)

    ran.came_to(1, passed=2, failed=1)
    assert any(line.startswith("test_it.py") and "100%" in line for line in ran.result.outlines), ran.output


def test_routes_of_the_users_own_respx_answer_for_foreign_hosts(example: Any) -> None:
    text = """
        import httpx, respx
        from sagaproof import explore
        from shop import Shop, read_only

        @explore(systems=[Shop], faults=1)
        def test_it(world):
            with respx.mock(assert_all_called=False) as mine:
                mine.get("https://rates.example.test/eur").respond(json={"rate": 2})
                assert httpx.get("https://rates.example.test/eur").json() == {"rate": 2}
                return read_only()

        @respx.mock
        def test_without():
            respx.get("https://shop.test/orders").respond(418)
            assert httpx.get("https://shop.test/orders").status_code == 418
    """
    example({"test_it": text}).run().came_to(0, passed=2)


@pytest.mark.slow
def test_folders_of_the_user_with_our_names_do_no_harm(example: Any) -> None:
    files = {
        "harness/__init__.py": "",
        "harness/sagas.py": "from shop import read_only\n",
        "scenarios/__init__.py": "STORIES = ['one']\n",
        "fake_systems/__init__.py": "",
        "reports/__init__.py": "",
        "test_it": """
            from harness.sagas import read_only
            from sagaproof import explore
            from scenarios import STORIES
            from shop import Shop

            @explore(systems=[Shop])
            def test_it(world):
                assert STORIES == ["one"]
                return read_only()
        """,
    }
    example(files).run(apart=True).came_to(0, passed=1)


@pytest.mark.slow
def test_without_the_plugin_an_explored_test_does_not_pass(example: Any) -> None:
    head = "from sagaproof import explore\nfrom shop import *\n"
    text = head + "@explore(systems=[Shop])\ndef test_it(world):\n    pass\n"
    without = text.replace("(world)", "()")

    ran = example({"test_it": text, "test_without": without}).run("-p", "no:sagaproof", apart=True)

    ran.came_to(1, errors=1, failed=1).says("fixture 'world' not found", "CampaignFailed: incomplete: ")


LIGHT = """
    import sys

    def test_it():
        heavy = {"sagaproof", "pydantic", "respx._main", "rich", "jinja2", "sagaproof._doors"}
        assert not heavy & set(sys.modules)
"""


@pytest.mark.slow
def test_a_session_that_explores_nothing_loads_the_thin_module_alone(example: Any) -> None:
    made = example({"test_it": LIGHT})
    made.pytester.plugins = []

    ran = made.pytester.run(
        sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "_sagaproof_pytest", "test_it.py"
    )

    ran.assert_outcomes(passed=1)


LOADING = """
import pytest, time
began = time.perf_counter()
import _sagaproof_pytest
print(time.perf_counter() - began)
"""


LOADING = """
import pytest, time
began = time.perf_counter()
import _sagaproof_pytest
print(time.perf_counter() - began)
"""


@pytest.mark.slow
def test_loading_the_plugin_takes_no_time_to_speak_of() -> None:
    command = [sys.executable, "-c", LOADING]
    times = [float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3)]

    assert min(times) < 0.010


INTERRUPTED = """
    import os, signal, sys
    from sagaproof import explore
    from shop import Shop, two_orders

    count = 0

    @explore(systems=[Shop], faults=2)
    def test_it(world):
        global count
        count += 1
        if count == 60:
            os.kill(os.getpid(), signal.SIGINT)
        return two_orders()

    def test_later(): pass
"""


@pytest.mark.slow
def test_an_interruption_keeps_what_was_found_and_ends_the_session(example: Any) -> None:
    ran = example({"test_it": INTERRUPTED}).run("--saga-report=out", apart=True)

    ran.came_to(2, failed=1)
    ran.says("compensated-is-clean", " incomplete: interrupted", "interrupted while exploring")
    assert scenarios(ran) == [("test_it.py::test_it", "findings")]
