"""The question to a person whether an irreversible call may be made, with the picture of its saga."""

from __future__ import annotations

from typing import Any

from sagaproof.saga.case import Case
from sagaproof.saga.case_step import shortened
from sagaproof.saga.core import Core, copied
from sagaproof.saga.key import key_of
from sagaproof.saga.picture import steps_of
from sagaproof.saga.record import to_text
from sagaproof.saga.tool import Tool

__all__ = ["question_of"]


def question_of(core: Core, tool: Tool, args: dict[str, Any], call_id: str) -> dict[str, Any]:
    """The question as the package of a case: the tool, the arguments and the key to which a yes is bound."""
    state = core.state
    key = key_of(state.id, call_id)
    given = shortened(", ".join(f"{name}={to_text(value)}" for name, value in args.items()))
    what = (
        f"{call_id}: decide whether {tool.name}({given}) is to be made (key {key}). It cannot be taken back."
    )
    question = {"call_id": call_id, "tool": tool.name, "args": copied(args), "key": key}
    return Case(
        saga=state.id,
        goal=state.goal,
        cause=None,
        gave_up=False,
        pivot=None if state.pivot is None else state.pivot.call_id,
        steps=steps_of(core),
        todo=(what,),
        kind="approval",
        question=question,
    ).to_json()
