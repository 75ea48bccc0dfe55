"""A replay line is understood by a shell as it was meant; a snippet is a test."""

from __future__ import annotations

import ast
import shlex

import pytest

from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE, Script
from sagaproof._report.replay import replay_line, snippet

PLAN = Plan.parse("mail.send.1=503,billing.reverse_credit.1=503/all")


def test_a_test_is_replayed_by_pytest() -> None:
    assert replay_line("test_support.py::test_credit", PLAN, OPAQUE) == (
        f"pytest 'test_support.py::test_credit' --saga-plan={PLAN}"
    )


def test_a_scenario_is_replayed_by_the_command() -> None:
    assert replay_line("credit-rerun", PLAN, OPAQUE) == f"sagaproof replay credit-rerun {PLAN}"


@pytest.mark.parametrize("name", ["plain", "two words", "it's", 'a "b" $(c) `d` \\e', "", "ä"])
def test_names_reach_the_program_whole(name: str) -> None:
    script = Script(name)
    assert shlex.split(replay_line("s", EMPTY, script)) == ["sagaproof", "replay", "s", "", "--script", name]
    node = f"test_x.py::test_y[{name}]"
    assert shlex.split(replay_line(node, PLAN, script)) == [
        "pytest",
        node,
        f"--saga-plan={PLAN}",
        f"--saga-script={name}",
    ]


@pytest.mark.parametrize("name", ["credit-rerun", 'test_x.py::Test::test_y[it\'s """ ä]', "1::2"])
def test_a_snippet_is_one_test_that_runs_the_plan(name: str) -> None:
    tree = ast.parse(snippet(name, "rest-is-rest", PLAN, Script("it's")))
    (test,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    assert test.name.startswith("test_")
    command = next(node for node in ast.walk(test) if isinstance(node, ast.List))
    assert ast.literal_eval(command) == ["sagaproof", "replay", name, str(PLAN), "--script", "it's"]
