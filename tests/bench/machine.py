"""What a machine adds to a step of Hypothesis: a bare one with as many rules, and ours over idle tools."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from tests.bench.rounds import Once

from sagaproof import AgentMachine, World
from sagaproof._machine.rules import RULES

EXAMPLES = 100
STEPS = 12
HOW = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)


def _bare() -> type[RuleBasedStateMachine]:
    def idle(_self: object) -> None:
        """Do nothing."""

    rules = {}
    for number in range(len(RULES)):
        named: Any = FunctionType(idle.__code__, {}, f"rule_{number}")
        rules[f"rule_{number}"] = rule()(named)
    return type("Bare", (RuleBasedStateMachine,), rules)


class _Dispatcher:
    """Two tools that do nothing but be called."""

    def __init__(self, world: World) -> None:
        self._tools = {
            name: world.tool(fn, cls=2, name=name) for name, fn in (("note", _note), ("look", _look))
        }

    def call(self, tool: str, args: dict[str, Any], _call_id: str) -> Any:
        """Call one."""
        return self._tools[tool](**args)

    def give_up(self) -> str:
        """Nothing is to be undone."""
        return "raised"

    def finish(self) -> str:
        """All is done."""
        return "completed"


def _note(text: str) -> str:
    return text


def _look(text: str) -> str:
    return text


class Idle(AgentMachine):
    """The machine over them."""

    agent = _Dispatcher
    systems = ()
    options = {"families": ("outage",)}  # noqa: RUF012  # read only
    tools = {"note": {"text": ["a", "b"]}, "look": {"text": ["a", "b"]}}  # noqa: RUF012  # read only


@contextmanager
def bare() -> Iterator[Once]:
    """Hypothesis alone."""
    machine = seed(0)(_bare())
    yield lambda: run_state_machine_as_test(machine, settings=HOW)


@contextmanager
def ours() -> Iterator[Once]:
    """The same number of examples and steps, run and judged."""
    machine = seed(0)(Idle)
    yield lambda: machine.run(HOW)
