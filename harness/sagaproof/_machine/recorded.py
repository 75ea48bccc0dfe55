"""A recorded run of a real agent as a script, and the scripts around it: prefixes and single deviations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from sagaproof._machine.references import by_call_id, is_whole
from sagaproof._model.script import Answer, IfFailed, Script, ToolCall, calls_of
from sagaproof.errors import UsageError

__all__ = ["around", "recorded"]

_TOOL: Final = ("tool", "name", "function")
_ARGS: Final = ("args", "arguments", "input")
_ID: Final = ("call_id", "id", "tool_call_id")


def recorded(source: str | Path | Sequence[Any], *, name: str = "recorded") -> Script:
    """The script of a recorded run: a JSON file, JSON text, or the list itself.

    Each entry is a call, `{"tool": ..., "args": {...}, "call_id": ...}`, also under the names that providers
    have for these (`name`, `arguments` or `input`, `id`; arguments may be JSON text); a list of entries is
    one turn. An argument `{"$answer": CALL_ID, "field": FIELD}` is what an earlier call was answered.
    Raises `UsageError` for anything else.
    """
    entries = _read(source)
    if not isinstance(entries, Sequence) or not entries or isinstance(entries, str):
        advice = 'Write [{"tool": ..., "args": {}}, ...].'
        raise UsageError(f"{name} holds no list of tool calls", advice=advice)
    turns: list[ToolCall | tuple[ToolCall, ...]] = []
    for number, entry in enumerate(entries, start=1):
        if isinstance(entry, list):
            turns.append(tuple(_call(one, f"turn {number}") for one in entry))
        else:
            turns.append(_call(entry, f"turn {number}"))
    script = by_call_id(Script(name, tuple(turns)))
    if not is_whole(script):
        says = f"{name} uses the answer of a call that is not made before"
        raise UsageError(says, advice="Mend its $answer.")
    return script


def _read(source: str | Path | Sequence[Any]) -> Any:
    if not isinstance(source, str | Path):
        return source
    text = str(source)
    try:
        if not text.lstrip().startswith("["):
            text = Path(source).read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise UsageError(f"the recorded run {str(source)[:60]!r} cannot be read: {error}") from error


def _call(entry: Any, where: str) -> ToolCall:
    tool = _first(entry, _TOOL) if isinstance(entry, Mapping) else None
    if isinstance(tool, Mapping):  # as in {"function": {"name": ..., "arguments": "..."}}
        entry = {**tool, "id": _first(entry, _ID)}
        tool = _first(entry, _TOOL)
    args = _first(entry, _ARGS) if isinstance(entry, Mapping) else None
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except ValueError as error:
            raise UsageError(f"the arguments of {tool} are no JSON: {error}", where=where) from error
    args = {} if args is None else args
    if not isinstance(tool, str) or not isinstance(args, Mapping):
        raise UsageError(f"{entry!r} is no tool call", where=where, advice='Write {"tool": ..., "args": {}}.')
    values = {arg: _value(value) for arg, value in args.items()}
    return ToolCall(tool, values, str(_first(entry, _ID) or ""))


def _first(entry: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((entry[name] for name in names if name in entry), None)


def _value(value: Any) -> Any:
    if isinstance(value, Mapping) and "$answer" in value:
        step = value["$answer"]
        return Answer(step if isinstance(step, int) else str(step), str(value.get("field", "id")))
    return value


def around(script: Script) -> Iterator[Script]:
    """The script, each prefix of it (and given up there), and each single deviation, all by name.

    A deviation is a call dropped, a call repeated under its own id or under a new one, two neighbours
    swapped, or a call that is made once more after it failed. What needs the answer of a call that is not
    there any more is left out, and so is what is the same as one before. None is cut
    short once more: that would be two deviations, and four times as many scripts.
    """
    script = replace(by_call_id(script), is_cut=False)
    known: list[Script] = []
    deviating = (
        replace(script, name=f"{script.name}, {name}", calls=turns) for name, turns in _deviations(script)
    )
    for other in (script, *_prefixes(script), *filter(is_whole, deviating)):
        nameless = replace(other, name="")
        if nameless not in known:
            known.append(nameless)
            yield other


def _prefixes(script: Script) -> Iterator[Script]:
    for n in range(1, len(script.calls) + 1):
        if n < len(script.calls):
            yield replace(script, name=f"{script.name}, first {n}", calls=script.calls[:n])
        name = f"{script.name}, given up after {n}"
        yield replace(script, name=name, calls=script.calls[:n], give_up_after=n)


def _deviations(script: Script) -> Iterator[tuple[str, tuple[Any, ...]]]:
    turns = script.calls
    for i, turn in enumerate(turns):
        calls = calls_of(turn)
        if not calls:
            continue
        before, after = turns[:i], turns[i + 1 :]
        said = " and ".join(call.call_id for call in calls)
        anew = tuple(_anew(call, "again") for call in calls)
        retried = tuple(call._replace(if_failed=(_anew(call, "retry"),)) for call in calls)
        yield f"without {said}", (*before, *after)
        yield f"{said} repeated", (*before, turn, turn, *after)
        yield f"{said} again as new", (*before, turn, *anew, *after)
        yield f"{said} retried if it fails", (*before, _turn(retried), *after)
        if after and calls_of(after[0]):
            yield f"{said} after the next", (*before, after[0], turn, *after[1:])


def _anew(call: ToolCall, why: str) -> ToolCall:
    return call._replace(call_id=f"{call.call_id}_{why}", if_failed=IfFailed.GO_ON)


def _turn(calls: tuple[ToolCall, ...]) -> ToolCall | tuple[ToolCall, ...]:
    return calls[0] if len(calls) == 1 else calls
