"""Which functions of a repository look like sagas, and what each of them calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sagaproof._doors.init.callees import Part, Reach, imported
from sagaproof._doors.init.requests import Request, requests_of
from sagaproof._doors.init.sources import Function, Module, functions
from sagaproof._doors.init.words import effect_class, is_undo
from sagaproof.errors import UsageError, suggest

__all__ = ["Saga", "ToolUse", "named", "sagas_of"]

_HINTS: Final = {
    *("book", "cancel", "checkout", "fulfil", "fulfill", "handle", "onboard", "order", "place", "process"),
    *("refund", "run", "saga", "transfer"),
}


@dataclass(frozen=True)
class ToolUse:
    """A callable that a saga calls: one of its parameters, or a function of the repository (`at` says where).

    `field` is what the saga takes out of its answer; empty if it uses the answer as it is.
    """

    name: str
    params: tuple[str, ...]
    field: str
    is_async: bool
    at: str = ""


@dataclass(frozen=True)
class Saga:
    """A function that has several effects. `score` is how much it looks like one."""

    module: Module
    function: Function
    requests: tuple[Request, ...]
    tools: tuple[ToolUse, ...]
    score: int

    @property
    def name(self) -> str:
        """Where it is imported from, with its own name."""
        return f"{self.module.name}.{self.function.name}"

    @property
    def is_async(self) -> bool:
        """Whether it has to be awaited."""
        return isinstance(self.function, ast.AsyncFunctionDef)


def sagas_of(modules: Sequence[Module], known: Mapping[str, str]) -> list[Saga]:
    """The functions with two effects or more, the likeliest first."""
    reach = Reach(modules)
    found = [
        saga
        for module in modules
        for function in functions(module.tree)
        if (saga := _saga(reach.parts(module, function), known, reach)) is not None
    ]
    return sorted(found, key=lambda saga: (-saga.score, saga.name))


def named(name: str, sagas: Sequence[Saga]) -> list[Saga]:
    """The sagas of that name, in full or without the module. Raises `UsageError` if there is none."""
    wanted = name.replace(":", ".")
    found = [one for one in sagas if wanted in {one.name, one.function.name}]
    if not found:
        raise UsageError(
            f"no function {name!r} looks like a saga (two writes or more)",
            advice=suggest(wanted, [one.name if "." in wanted else one.function.name for one in sagas]),
        )
    return found


def _saga(parts: Sequence[Part], known: Mapping[str, str], reach: Reach) -> Saga | None:
    module, function = parts[0]
    requests = tuple(dict.fromkeys(r for home, part in parts for r in requests_of(home, known, part)))
    tools = () if requests else tuple(_tools(module, function, reach))
    writes = sum(one.method != "GET" for one in requests) + sum(effect_class(one.name) > 1 for one in tools)
    if writes < 2 or function.name.startswith("_"):
        return None
    handles = any(isinstance(node, ast.Try) for part in parts for node in ast.walk(part.function))
    hinted = bool(_HINTS & set(function.name.split("_")))
    undoes = any(is_undo(one.name) for one in tools)
    return Saga(module, function, requests, tools, writes + 3 * handles + 2 * hinted + 2 * undoes)


def _tools(module: Module, function: Function, reach: Reach) -> Iterator[ToolUse]:
    params = {arg.arg for arg in [*function.args.args, *function.args.kwonlyargs]}
    known = imported(module)
    seen: set[str] = set()
    for call, awaited in _calls(function):
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if not name or name in seen:
            continue
        source = reach.function(known.get(name, f"{module.name}.{name}"))
        if name in params:
            seen.add(name)
            taken = tuple(_param(i, arg) for i, arg in enumerate(call.args)) + _keywords(call)
            yield ToolUse(name, taken, _field(function, call), awaited)
        elif source is not None and source is not function and "_" in name.strip("_") + "_":
            seen.add(name)
            is_async = awaited or isinstance(source, ast.AsyncFunctionDef)
            args = tuple(arg.arg for arg in [*source.args.args, *source.args.kwonlyargs])
            yield ToolUse(name, args, _field(function, call), is_async, f"{module.name}.{name}")


def _calls(function: Function) -> Iterator[tuple[ast.Call, bool]]:
    awaited = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Await)}
    found = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    for call in sorted(found, key=lambda node: (node.lineno, node.col_offset)):
        yield call, id(call) in awaited


def _param(index: int, arg: ast.expr) -> str:
    name = arg.id if isinstance(arg, ast.Name) else ""
    return name or ("ref" if isinstance(arg, ast.Subscript | ast.Attribute) else f"value_{index + 1}")


def _keywords(call: ast.Call) -> tuple[str, ...]:
    return tuple(keyword.arg for keyword in call.keywords if keyword.arg)


def _field(function: Function, call: ast.Call) -> str:
    """The field that the saga takes out of the answer of a call, by the name that it keeps it under."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(inner is call for inner in ast.walk(node.value)):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            return next(_fields_of(ast.walk(function), names), "")
    return ""


def _fields_of(nodes: Iterable[ast.AST], names: set[str]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in names:
            field = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(field, str):
                yield field
