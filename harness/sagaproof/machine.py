"""What scripts of agents can say beyond plain calls, and what belongs to `AgentMachine`.

`IfFailed`, `Wait` and `OtherWrite` are words of scripts. `recorded` makes a script of the run of a real
agent, and `around` the scripts that differ from it in one thing: `@explore(scripts=[*around(RUN)], ...)`.
`replay` is one script under one plan of an explored test or a scenario, as `sagaproof keep` writes it.
`PROFILES` says how much a machine tries under which profile of Hypothesis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sagaproof._machine.recorded import around, recorded
from sagaproof._model.script import IfFailed, OtherWrite, Wait

if TYPE_CHECKING:
    from sagaproof._doors.agent_machine import PROFILES
    from sagaproof._doors.replaying import replay

__all__ = ["PROFILES", "IfFailed", "OtherWrite", "Wait", "around", "recorded", "replay"]

_WHERE = {"PROFILES": "agent_machine", "replay": "replaying"}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        msg = f"module 'sagaproof.machine' has no attribute {name!r}"
        raise AttributeError(msg)
    # Not everybody has Hypothesis, or needs the doors of pytest.
    return getattr(import_module(f"sagaproof._doors.{_WHERE[name]}"), name)
