"""`sagaproof keep`: what it writes fails for the finding, and passes on the mended saga."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.slow

DESK = """
    import httpx

    def send(method, path, body=None):
        with httpx.Client(timeout=5) as client:
            answer = client.request(method, f"https://shop.test{path}", json=body)
            answer.raise_for_status()
            return answer.json()

    class Desk:
        def __init__(self, world):
            self.placed = []

        def call(self, tool, args, call_id):
            order = send("POST", "/orders", args)
            self.placed.append(order["id"])
            return order

        def give_up(self):
            while self.placed:
                one = self.placed.pop()
                UNDO
            return "compensated"

        def finish(self):
            return "completed"
"""
WRONG, RIGHT = "one is None  # forgotten", 'send("POST", f"/orders/{one}/void")'
MACHINE = """
    from typing import ClassVar

    from hypothesis import settings
    from sagaproof import AgentMachine
    from desk import Desk
    from shop import Shop

    class Agent(AgentMachine):
        agent = Desk
        systems = (Shop,)
        tools: ClassVar = {"order": {"amount": [300]}}
        options: ClassVar = {"families": ["outage"], "exclude": {"*=*": "the bug needs no fault"}}

    TestAgent = Agent.TestCase
    TestAgent.settings = settings(max_examples=30, stateful_step_count=4, deadline=None)
"""
EXPLORED = """
    from sagaproof import Script, ToolCall, explore
    from desk import Desk
    from shop import Shop

    TWO = Script("two", (ToolCall("order", {"amount": 300}, "c1"), ToolCall("order", {"amount": 400}, "c2")))

    @explore(agent=Desk, scripts=[TWO], systems=[Shop], faults=1)
    def test_desk(world):
        pass
"""


@pytest.fixture
def project(example: Callable[..., Any]) -> Any:
    files = {"desk": DESK.replace("UNDO", WRONG), "test_machine": MACHINE, "test_explored": EXPLORED}
    return example(files)


def mend(project: Any) -> None:
    path = project.path / "desk.py"
    path.write_text(path.read_text().replace(WRONG, RIGHT))


def test_the_saved_example_of_a_machine_is_kept(project: Any) -> None:
    project.run("test_machine.py", "--saga-report=out", apart=True).came_to(1, failed=1)
    from_database = project.command("keep", "test_machine.py::TestAgent", "--into", "test_one.py")
    assert from_database.result.ret == 0, from_database.errors
    from_database.shows(r"^kept: test_one\.py::test_compensated_is_clean")
    project.command("keep", "out", "--into", "test_two.py").shows(r"^kept: test_two\.py::test_compensated")
    assert from_database.text("test_one.py") == from_database.text("test_two.py")
    project.run("test_one.py", apart=True).came_to(1, failed=1).says("compensated-is-clean")
    mend(project)
    project.run("test_one.py", apart=True).came_to(0, passed=1)


def test_a_plan_of_an_explored_test_is_kept(project: Any) -> None:
    line = ("keep", "test_explored.py::test_desk", "--plan", "shop.place.1=503", "--script", "two")
    nothing = project.command(*line)
    assert nothing.result.ret == 3
    nothing.says("nothing to keep of shop.place.1=503")
    line = ("keep", "test_explored.py::test_desk", "--plan", "shop.place.2=422", "--into", "test_one.py")
    kept = project.command(*line)
    assert kept.result.ret == 0, kept.errors
    project.run("test_one.py", apart=True).came_to(1, failed=1).says("shop.place.2=422")
    mend(project)
    project.run("test_one.py", apart=True).came_to(0, passed=1)


def test_nothing_saved_is_said(project: Any) -> None:
    nothing = project.command("keep", "test_machine.py")
    assert nothing.result.ret == 3
    nothing.says("there is no finding to keep", "Play it first")
    assert not (nothing.folder / "test_kept.py").exists()
