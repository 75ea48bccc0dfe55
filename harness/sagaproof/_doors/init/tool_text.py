"""The source of what stands in for a callable, and of the tap around it."""

from __future__ import annotations

from collections.abc import Sequence

from sagaproof._doors.init.sagas import ToolUse
from sagaproof._doors.init.words import effect_class, is_undo, noun_of

__all__ = ["stand_in", "wrapped"]


def stand_in(tool: ToolUse) -> str:
    """A function with the same parameters and no effect."""
    answer = f'{{"{tool.field}": "{tool.name}-1"}}' if tool.field else f'"{tool.name}-1"'
    params = ", ".join(dict.fromkeys(tool.params))
    after = f"Stands in for {tool.at or 'what is called so'}: no effect, and an answer of the same form."
    head = f"{'async ' if tool.is_async else ''}def {tool.name}({params}):"
    return f'{head}\n    """{after}"""\n    return {answer}\n'


def wrapped(tool: ToolUse, among: Sequence[ToolUse]) -> str:
    """The tap around it, with a class that is guessed from its name, and what takes it back."""
    undone = next((other for other in among if (u := _undo_of(other, among)) and u.name == tool.name), None)
    undo = _undo_of(tool, among)
    cls = effect_class(tool.name)
    if undone is not None:
        cls = min(effect_class(undone.name), 4)
    elif undo is not None:
        cls = min(cls, 4)
    facts = [f"cls={cls}"]
    if undo is not None:
        facts.append(f'undo="{undo.name}"')
    ref = (tool.params[0] if tool.params else "") if undone else tool.field or (undo and "id")
    if ref and cls > 1:
        facts.append(f'ref="{ref}"')
    return f"world.tool({tool.name}, {', '.join(facts)})"


def _undo_of(tool: ToolUse, among: Sequence[ToolUse]) -> ToolUse | None:
    """What takes it back: a callable with a word for it and the same noun, or the only one there is."""
    if is_undo(tool.name) or effect_class(tool.name) < 3:
        return None
    undos = [other for other in among if is_undo(other.name)]
    same = [other for other in undos if noun_of(other.name) and noun_of(other.name) == noun_of(tool.name)]
    if same:
        return same[0]
    writes = [other for other in among if not is_undo(other.name) and 2 < effect_class(other.name) < 5]
    return (
        undos[0] if len(undos) == 1 and writes and writes[0] is tool and not noun_of(undos[0].name) else None
    )
