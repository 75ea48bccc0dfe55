"""References to answers within a script: by the id of the call, so that steps can be put in and left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sagaproof._model.script import Answer, Script, ToolCall, Turn, calls_of

__all__ = ["by_call_id", "is_whole"]


def by_call_id(script: Script) -> Script:
    """The same script, with an id for each call, and answers named by it instead of counted."""
    calls = [call for turn in script.calls for call in calls_of(turn)]
    ids = [call.call_id or f"step_{n}" for n, call in enumerate(calls, start=1)]
    names = iter(ids)

    def named(call: ToolCall) -> ToolCall:
        return call._replace(args=_named(call.args, ids), call_id=next(names))

    turns: list[Turn] = []
    for turn in script.calls:
        if isinstance(turn, ToolCall):
            turns.append(named(turn))
        else:
            turns.append(tuple(map(named, calls_of(turn))) or turn)
    return replace(script, calls=tuple(turns))


def _named(args: Mapping[str, Any], ids: list[str]) -> dict[str, Any]:
    return {
        name: value._replace(step=ids[value.step - 1])
        if isinstance(value, Answer) and isinstance(value.step, int)
        else value
        for name, value in args.items()
    }


def is_whole(script: Script) -> bool:
    """Whether each answer that a call needs is that of a call before it."""
    known: set[object] = set()
    for turn in script.calls:
        if not all(_is_known(call, known) for call in calls_of(turn)):
            return False
        known |= {call.call_id for call in calls_of(turn)}
    return all(_is_known(call, known) for call in script.afterwards)


def _is_known(call: ToolCall, known: set[object]) -> bool:
    instead = call.if_failed if isinstance(call.if_failed, tuple) else ()
    own = all(value.step in known for value in call.args.values() if isinstance(value, Answer))
    return own and all(_is_known(other, known) for other in instead)
