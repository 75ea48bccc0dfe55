"""A machine in a user's project: found, told at the end, kept as a test, also by a worker of pytest-xdist."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

TESTS = """
    from hypothesis import settings
    from sagaproof import AgentMachine
    from sagaproof_scenarios.planted.deciding import DECIDING

    class Agent(AgentMachine):
        scenario = next(planted.scenario for planted in DECIDING if planted.id == "A05")

    TestAgent = Agent.TestCase
    TestAgent.settings = settings(max_examples=60, stateful_step_count=10, database=None, deadline=None)
"""


def test_a_finding_is_told_and_kept_as_a_test_that_fails(example: Callable[..., Any]) -> None:
    made = example({"test_it": TESTS})
    ran = made.run("-n1", "--saga-keep=test_kept.py", "--saga-report=out", "--hypothesis-seed=1", apart=True)
    ran.came_to(1, failed=1).shows(r"A05  \d+ examples in \d+ runs: \d finding", r"\d tests kept")
    (machine,) = json.loads(ran.text("out/machines.json"))
    kept = len(machine["findings"])
    assert kept
    again = made.pytester.runpytest_subprocess("test_kept.py", "-p", "no:asyncio")
    assert again.ret == 1
    again.stdout.fnmatch_lines([f"*{kept} failed*"])


def test_the_nightly_profile_is_known_and_changes_no_other_test(example: Callable[..., Any]) -> None:
    plain = """
        from hypothesis import settings
        from sagaproof._doors.machine_profiles import promoted_at_most, usual

        def test_settings():
            assert settings().max_examples == 100
            assert (usual().max_examples, usual().stateful_step_count) == (5000, 20)
            assert promoted_at_most() == 40
    """
    made = example({"test_plain": plain})
    made.run("--hypothesis-profile=nightly", apart=True).came_to(0, passed=1)
