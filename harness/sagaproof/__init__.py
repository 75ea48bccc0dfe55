"""sagaproof: pytest for the undo path.

Breaks every call of a saga, alone and in combination, also inside the compensations, and shows the smallest
case in which the world differs from what the code says. Names are resolved on first use, so that importing
one part loads no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sagaproof._checks.campaign_check import CampaignCheck
    from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, RunCheck, Verdict, violated
    from sagaproof._doors.agent_machine import AgentMachine
    from sagaproof._doors.explore import explore
    from sagaproof._model.claim import Claim
    from sagaproof._model.history import History
    from sagaproof._model.plan import Plan
    from sagaproof._model.script import AfterRestart, Answer, Script, ToolCall
    from sagaproof._search.scenario import Scenario
    from sagaproof._taps.direct import ToolError
    from sagaproof._taps.handle import WorldHandle as World
    from sagaproof._world.operation import Refusal, invariant, operation
    from sagaproof._world.system import System
    from sagaproof._world.table import Table
    from sagaproof.errors import SagaproofError

_WHERE = {
    "AgentMachine": "_doors.agent_machine",
    "Facts": "_checks.protocol",
    "HELD": "_checks.protocol",
    "NOT_REACHED": "_checks.protocol",
    "violated": "_checks.protocol",
    "AfterRestart": "_model.script",
    "Answer": "_model.script",
    "CampaignCheck": "_checks.campaign_check",
    "Claim": "_model.claim",
    "History": "_model.history",
    "Plan": "_model.plan",
    "Refusal": "_world.operation",
    "RunCheck": "_checks.protocol",
    "SagaproofError": "errors",
    "Scenario": "_search.scenario",
    "Script": "_model.script",
    "System": "_world.system",
    "Table": "_world.table",
    "ToolCall": "_model.script",
    "ToolError": "_taps.direct",
    "Verdict": "_checks.protocol",
    "World": "_taps.handle",
    "explore": "_doors.explore",
    "invariant": "_world.operation",
    "operation": "_world.operation",
}

__all__ = [
    "HELD",
    "NOT_REACHED",
    "AfterRestart",
    "AgentMachine",
    "Answer",
    "CampaignCheck",
    "Claim",
    "Facts",
    "History",
    "Plan",
    "Refusal",
    "RunCheck",
    "SagaproofError",
    "Scenario",
    "Script",
    "System",
    "Table",
    "ToolCall",
    "ToolError",
    "Verdict",
    "World",
    "explore",
    "invariant",
    "operation",
    "violated",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        msg = f"module 'sagaproof' has no attribute {name!r}"
        raise AttributeError(msg)
    module = import_module(f"sagaproof.{_WHERE[name]}")
    found = getattr(module, "WorldHandle" if name == "World" else name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
