"""The story as a scenario: the world before the run, and the two turns of the agent."""

from __future__ import annotations

from pathlib import Path

from sagaproof import Scenario, Script, ToolCall, World
from sagaproof.saga import AsyncSaga, Saga
from sagaproof.settings import Settings
from sagaproof_scenarios.goodwill import decided, on_runtime

__all__ = ["SCENARIOS"]

_HERE = Path(__file__).parent


def _start(world: World) -> AsyncSaga:
    world.billing.add_customer("cus_7", email="kim@example.test")
    world.ledger.add_account("goodwill", kind="expense")
    world.ledger.add_account("receivables")
    return on_runtime.start(world)


_AGENT = Script(
    "two at once, then the mail",
    (
        (
            ToolCall("issue_credit", {"customer": "cus_7", "amount": 2000}, "call_1"),
            ToolCall("book", {"amount": 2000}, "call_2"),
        ),
        ToolCall("reply", {"to": "kim@example.test", "text": "We have credited you 20.00."}, "call_3"),
    ),
)


def _start_decided(world: World) -> Saga:
    world.billing.add_customer("cus_7", email="kim@example.test")
    world.crm.add_ticket("9105")
    world.desk.answer_cases("settle", "leave it")  # the person changes their mind: what was said first holds
    return decided.start(world)


_STEPS = (
    ToolCall("issue_credit", {"customer": "cus_7", "amount": 2000}, "call_1"),
    ToolCall("reply", {"to": "kim@example.test", "text": "We have credited you 20.00."}, "call_2"),
    ToolCall("set_priority", {"ticket": "9105", "priority": "low"}, "call_3"),
)

SCENARIOS = (
    Scenario(
        "goodwill-decided",
        "Credit, mail and ticket, and a person who answers the case: on the runtime.",
        ("billing", "crm", "mail", "desk"),
        agent=_start_decided,
        recover=decided.recover,
        scripts=(Script("to the end", _STEPS), Script("gives up after the credit", _STEPS, give_up_after=1)),
        settings=Settings(faults=1),
        expected=_HERE / "goodwill-decided.expected.json",
    ),
    Scenario(
        "goodwill-parallel",
        "Credit and ledger in one turn, then a mail: on the runtime, asynchronous.",
        ("billing", "ledger", "mail", "desk"),
        agent=_start,
        recover=on_runtime.recover,
        scripts=(_AGENT,),
        expected=_HERE / "goodwill-parallel.expected.json",
        settings=Settings(faults=1),  # its pairs take the better part of an hour: `--faults 2 --runs 1000000`
    ),
)
