"""What an agent can say in a world: its tools, and for each argument the values that are worth a try.

It is found out before anything is drawn, by a run without calls, so that the same choices always mean the
same: the ids that the world begins with, the values of the scripts that are known, one id that nothing has,
and amounts at the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sagaproof._machine.draft import UNKNOWN, AnswerOf
from sagaproof._machine.references import by_call_id
from sagaproof._machine.trials import Trials
from sagaproof._model.event import Wrote
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass
from sagaproof._model.script import Answer, Script, ToolCall, calls_of
from sagaproof._world.operation import Declared
from sagaproof.errors import UsageError

__all__ = ["Vocabulary", "Words", "found_out"]

EDGES: Final = (1, 0, -1, 10**9)
"""Amounts at which sagas and services differ in what they take for right."""

_VALUES_MAX: Final = 8

Words = Mapping[str, Mapping[str, Sequence[Any]]]
"""For each tool, for each of its arguments: the values to choose from, the most sensible one first."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`irreversible` are tools of class 5; `writes` is what others may do to the services."""

    tools: Words
    irreversible: frozenset[str]
    writes: Words
    scripts: tuple[Script, ...] = ()


@dataclass(slots=True)
class _World:
    """The rows that a run begins with: ids by table, and values by the name of their field."""

    ids: dict[str, list[Any]] = field(default_factory=dict)
    values: dict[str, list[Any]] = field(default_factory=dict)

    def note(self, wrote: Wrote) -> None:
        _add(self.ids, wrote.change.table, wrote.change.key)
        for name, value in (wrote.change.after or {}).items():
            if isinstance(value, str | int):
                _add(self.values, name, value)

    def fitting(self, name: str) -> Iterator[Any]:
        """The ids of tables that are called like an argument, then the values of fields that are."""
        bare = name.removesuffix("_id").rstrip("s")
        for table, ids in self.ids.items():
            if bare and table.rstrip("s").endswith(bare):
                yield from ids
        yield from self.values.get(name, ())

    @property
    def all_ids(self) -> list[Any]:
        return [one for ids in self.ids.values() for one in ids]


def found_out(
    trials: Trials,
    tools: Mapping[str, Mapping[str, Sequence[Any]]],
    irreversible: Iterable[str],
    scripts: Sequence[Script],
) -> Vocabulary:
    """What can be said. `tools` are values that the user names; for a tool with none, all are looked for.

    Raises `UsageError` if nothing says which tools there are.
    """
    history = trials.fault_free(Script("nothing"))
    world = _World()
    for event in history.of(Wrote):
        world.note(event)
    seen = _seen(scripts)
    said: dict[str, Mapping[str, Any]] = {one.name: _parameters(one) for one in _offered(trials)}
    named = {name: dict.fromkeys(args) for name, args in tools.items()}
    found: dict[str, dict[str, Sequence[Any]]] = {}
    for name in tools or {**seen, **said}:
        parameters = said.get(name) or named.get(name) or dict.fromkeys(seen.get(name, ()))
        found[name] = {
            arg: _values(arg, described, tools.get(name, {}).get(arg), seen.get(name, {}).get(arg, ()), world)
            for arg, described in parameters.items()
        }
    if not found:
        raise UsageError(
            "nothing says which tools the agent has",
            where=trials.subject.name,
            advice="Set tools = {name: {argument: [values]}}, or scripts= with some calls.",
        )
    once = {one.name for one in _offered(trials) if getattr(one, "cls", None) == EffectClass.IRREVERSIBLE}
    return Vocabulary(
        found,
        frozenset({*irreversible, *once} & found.keys()),
        _writes(history, trials, world),
        tuple(map(by_call_id, scripts)),
    )


def _offered(trials: Trials) -> Sequence[Any]:
    return [one for one in getattr(trials.subject.driver, "tools", ()) if hasattr(one, "name")]


def _parameters(tool: Any) -> Mapping[str, Any]:
    """The arguments of a tool, each with its JSON schema, if it says so."""
    described = getattr(tool, "json_schema", None)
    schema = described() if callable(described) else {}
    return dict(schema.get("properties", {}))


def _seen(scripts: Iterable[Script]) -> dict[str, dict[str, list[Any]]]:
    """The values that the calls of scripts have, by tool and argument."""
    seen: dict[str, dict[str, list[Any]]] = {}
    for script in scripts:
        calls = [call for turn in script.calls for call in calls_of(turn)]
        more = script.after_restart if isinstance(script.after_restart, tuple) else ()
        for call in (*calls, *more):
            known = seen.setdefault(call.tool, {})
            for name, value in call.args.items():
                _add(known, name, _symbolic(value, calls))
    return seen


def _symbolic(value: Any, calls: Sequence[ToolCall]) -> Any:
    """A reference to an answer by the tool that gave it."""
    if not isinstance(value, Answer):
        return value
    by_id = {call.call_id: call for call in calls}
    call = by_id.get(value.step) if isinstance(value.step, str) else calls[value.step - 1]
    return value if call is None else AnswerOf(call.tool, value.field)


def _values(
    name: str,
    described: Mapping[str, Any] | None,
    given: Sequence[Any] | None,
    seen: Sequence[Any],
    world: _World,
) -> Sequence[Any]:
    """What is worth a try for one argument; what the user gave is all, if it is given."""
    if given is not None:
        return tuple(given)
    kind = (described or {}).get("type")
    if described and "enum" in described:
        return tuple(described["enum"])
    if kind == "boolean":
        return (True, False)
    fitting = [value for value in world.fitting(name) if _is_of(kind, value)][:_VALUES_MAX]
    if kind in {"integer", "number"} or (kind is None and seen and isinstance(seen[0], int)):
        return _unique([*seen, *(fitting or [100]), *EDGES])
    if not fitting and not seen:
        fitting = world.all_ids[:_VALUES_MAX]
    return _unique([*seen, *fitting, UNKNOWN])


def _is_of(kind: Any, value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if kind == "string":
        return isinstance(value, str)
    return is_number if kind in {"integer", "number"} else True


def _writes(history: History, trials: Trials, world: _World) -> Words:
    """What somebody else may do: each write of a service that has an undo or sets a state."""
    found: dict[str, dict[str, Sequence[Any]]] = {}
    for name, system in trials.subject.systems.items():
        for declared in system.declarations().values():
            operation = declared.operation
            if operation.escalates or operation.undoes or not _is_ordinary(operation.cls):
                continue
            values = {
                arg: _values(arg, {"type": _JSON.get(kinds[0])} if kinds else None, None, (), world)
                for arg, kinds in _types(declared).items()
            }
            if values and operation.full in history.operations:
                found[f"{name}.{operation.name}"] = values
    return found


_JSON: Final = {str: "string", int: "integer", bool: "boolean"}


def _is_ordinary(cls: EffectClass) -> bool:
    return cls in {EffectClass.CONVERGENT, EffectClass.REVERSIBLE}


def _types(declared: Declared) -> Mapping[str, tuple[type, ...]]:
    """The required parameters of an operation, with their types."""
    return {name: tuple(declared.types[name] or ()) for name in sorted(declared.required)}


def _add(to: dict[str, list[Any]], name: str, value: Any) -> None:
    known = to.setdefault(name, [])
    if value not in known and len(known) < _VALUES_MAX:
        known.append(value)


def _unique(values: Iterable[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    for value in values:
        if not any(value == known and type(value) is type(known) for known in found):
            found.append(value)
    return tuple(found)
