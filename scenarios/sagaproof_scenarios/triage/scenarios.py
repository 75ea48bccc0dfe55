"""The story as a scenario: its one tool, the world before the run, the agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sagaproof import Scenario, Script, ToolCall, World
from sagaproof.saga import CallableDesk, Runtime, Saga, tool
from sagaproof_scenarios.keyed_api import KeyedApi

__all__ = ["SCENARIOS"]

_HERE = Path(__file__).parent
_API = KeyedApi()
_SAGA = "triage-monday"
_TICKETS = {"9104": "high", "9105": "low", "9106": "urgent"}


def _start(world: World) -> Saga:
    for ticket in _TICKETS:
        world.crm.add_ticket(ticket)
    return _runtime(world).start(_SAGA)


def _recover(world: World) -> Saga:
    return _runtime(world).resume(_SAGA)


def _runtime(world: World) -> Runtime:
    return Runtime([set_priority], journal=world.journal, desk=CallableDesk(_API.open_case))


@tool(cls=2, lookup=lambda step: _API.lookup("crm", "set_ticket_priority", step))
def set_priority(ticket: str, priority: str, *, key: str) -> dict[str, Any]:
    """Set the priority of a ticket."""
    return _API.send("PUT", "crm", f"/tickets/{ticket}/priority", {"priority": priority}, key)


_AGENT = Script(
    "three tickets",
    tuple(
        ToolCall("set_priority", {"ticket": ticket, "priority": priority}, f"call_{n}")
        for n, (ticket, priority) in enumerate(_TICKETS.items(), start=1)
    ),
)

SCENARIOS = (
    Scenario(
        "triage-convergent",
        "Three priorities are set: convergent writes on the runtime, nothing to undo.",
        ("crm", "desk"),
        agent=_start,
        recover=_recover,
        scripts=(_AGENT,),
        expected=_HERE / "triage-convergent.expected.json",
    ),
)
