"""The story as a scenario: the world before the run, and the two turns of the agent."""

from __future__ import annotations

from pathlib import Path

from sagaproof import Scenario, Script, ToolCall, World
from sagaproof.saga import AsyncSaga
from sagaproof_scenarios.goodwill import on_runtime

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

SCENARIOS = (
    Scenario(
        "goodwill-parallel",
        "Credit and ledger in one turn, then a mail: on the runtime, asynchronous.",
        ("billing", "ledger", "mail", "desk"),
        agent=_start,
        recover=on_runtime.recover,
        scripts=(_AGENT,),
        expected=_HERE / "goodwill-parallel.expected.json",
    ),
)
