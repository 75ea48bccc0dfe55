"""Where settings come from: command line, then the decorator, then pyproject.toml."""

from __future__ import annotations

import re
from typing import Any

import pytest

HEAD = "from sagaproof import explore\nfrom shop import *\n"
TEST = HEAD + "@explore({})\ndef test_it(world):\n    return read_only()\n"
SYSTEMS = 'systems = ["shop:Shop"]\n'


def project(toml: str, options: str = "") -> dict[str, str]:
    return {"pyproject.toml": f"[tool.sagaproof]\n{SYSTEMS}{toml}", "test_it": TEST.format(options)}


def test_systems_of_the_project_are_those_of_its_tests(example: Any) -> None:
    example(project("")).run("-v").came_to(0, passed=1).says("(k<=2 complete: ")


@pytest.mark.parametrize(
    ("toml", "decorator", "line", "k"),
    [
        ("faults = 1", "", [], 1),
        ("faults = 1", "faults=0", [], 0),
        ("faults = 0", "faults=0", ["--saga-faults=1"], 1),
    ],
)
def test_the_nearest_setting_wins(example: Any, toml: str, decorator: str, line: list[str], k: int) -> None:
    ran = example(project(toml, decorator)).run("-v", *line).came_to(0, passed=1)

    ran.says(f"k<={k} complete" if k else "k=0 complete")


def test_exclusions_of_project_and_decorator_add_up(example: Any) -> None:
    toml = '[tool.sagaproof.exclude]\n"*=503" = "retried by the gateway"\n'
    ran = example(project(toml, "exclude={'shop.list=timeout': 'never'}, faults=1")).run("--saga-report=out")

    ran.came_to(0, passed=1)
    report = ran.text("out/report.json")
    assert "retried by the gateway" in report
    assert "never" in report


def test_hosts_of_the_project_are_used(example: Any) -> None:
    files = project('hosts = { shop = "https://eu.example.test/shop" }')
    files["test_it"] = files["test_it"].replace(
        "return read_only()", "httpx.get('https://eu.example.test/shop/orders').raise_for_status()"
    )
    example(files).run().came_to(0, passed=1)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("fault = 2", "there is no option 'fault' ([tool.sagaproof] in "),
        ("fault = 2", "Did you mean 'faults'?"),
        ("faults = 'two'", "faults = 'two' will not do"),
        ("durations = ['onse']", "there is no duration 'onse'. Did you mean 'once'?"),
        ("exclude = {'mail.send=503' = ''}", "is excluded without a reason"),
    ],
)
def test_a_slip_in_pyproject_ends_the_session_before_any_test(example: Any, toml: str, says: str) -> None:
    example(project(toml)).run().came_to(4).says("ERROR: ", says)


def test_a_slip_in_pyproject_does_not_touch_a_session_without_sagaproof(example: Any) -> None:
    files = project("fault = 2")
    files["test_it"] = "def test_it(): pass\n"

    example(files).run().came_to(0, passed=1)


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("--saga-faults=-1", "faults = -1 will not do"),
        ("--saga-statuses=some", "statuses = 'some' will not do"),
        ("--saga-durations=once,al", "there is no duration 'al'. Did you mean 'all'?"),
        ("--saga-runs=0", "runs = 0 will not do"),
        ("--saga-seconds=0", "seconds = 0.0 will not do"),
        ("--saga-plan=shop.list=503", "'shop.list' is not a point"),
    ],
)
def test_a_slip_on_the_command_line_ends_the_session_before_any_test(
    example: Any, argument: str, says: str
) -> None:
    example(project("")).run(argument).came_to(4).says(says)


@pytest.mark.parametrize(
    ("argument", "compare"), [("--saga-durations=once", "fewer"), ("--saga-statuses=all", "more")]
)
def test_what_the_command_line_narrows_or_widens_shows_in_the_number_of_runs(
    example: Any, argument: str, compare: str
) -> None:
    made = example(project("faults = 1"))
    usual, asked = (_runs(made.run(*arguments).came_to(0, passed=1)) for arguments in ([], [argument]))

    assert asked < usual if compare == "fewer" else asked > usual


def _runs(ran: Any) -> int:
    found = re.search(r"(\d+) runs", ran.output)
    assert found, ran.output
    return int(found[1])
