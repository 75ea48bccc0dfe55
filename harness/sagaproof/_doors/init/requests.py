"""The HTTP requests that the source makes: method, URL, and the fields of the body."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from sagaproof._doors.init.sources import Function, Module
from sagaproof._doors.init.urls import Url, url

__all__ = ["Request", "requests_of"]

_Values = tuple[tuple[str, str], ...]

_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Request(NamedTuple):
    """One request; `values` are the fields of its body, each with what is put in."""

    method: str
    base: str
    path: str
    values: tuple[tuple[str, str], ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of what its body holds."""
        return tuple(name for name, _ in self.values)


def requests_of(module: Module, known: Mapping[str, str], within: ast.AST | None = None) -> list[Request]:
    """The requests of a module, or of a part of it, each once."""
    base = _only_base(module.tree, known)
    helpers = {node.name: node for node in ast.walk(module.tree) if isinstance(node, Function)}
    dicts = {**_dicts(module.tree), **_dicts(within or module.tree)}
    found: dict[Request, None] = {}
    seen: set[int] = set()
    for node in ast.walk(within or module.tree):
        if isinstance(node, ast.Call | ast.Tuple | ast.JoinedStr) and id(node) not in seen:
            made = _request(node, known, base, helpers, dicts)
            if made is not None:
                found[made] = None
                seen.update(id(inner) for inner in ast.walk(node))
    return list(found)


def _request(
    node: ast.Call | ast.Tuple | ast.JoinedStr,
    known: Mapping[str, str],
    base: str,
    helpers: Mapping[str, Function],
    dicts: Mapping[str, _Values],
) -> Request | None:
    if isinstance(node, ast.JoinedStr):  # kept for later, as what undoes something is
        there = url(node, known)
        return None if there is None or there.path == "/" else Request("POST", *there, ())
    given = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else node.elts
    there = next((one for one in (url(arg, known, base) for arg in given) if one), None)
    if there is None or (isinstance(node, ast.Call) and _name(node) in {"Client", "AsyncClient", "append"}):
        return None
    method = _method(node, given, helpers)
    return None if method is None else Request(method, *there, tuple(_fields(given, dicts)))


def _method(
    node: ast.Call | ast.Tuple, given: Iterable[ast.expr], helpers: Mapping[str, Function]
) -> str | None:
    for arg in given:
        if isinstance(arg, ast.Constant) and str(arg.value).upper() in _METHODS:
            return str(arg.value).upper()
    if isinstance(node, ast.Tuple):
        return "POST"
    name = _name(node)
    if name.upper() in _METHODS and isinstance(node.func, ast.Attribute):
        return name.upper()
    return _method_of_helper(helpers[name]) if name in helpers else None


def _method_of_helper(helper: Function) -> str | None:
    """The one method of the client that a function calls."""
    names = {_name(node).upper() for node in ast.walk(helper) if isinstance(node, ast.Call)}
    used = [method for method in _METHODS if method in names - {"GET"}] or [m for m in ("GET",) if m in names]
    return used[0] if len(used) == 1 else None


def _name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _fields(given: Iterable[ast.expr], dicts: Mapping[str, _Values]) -> Iterator[tuple[str, str]]:
    for arg in given:
        if isinstance(arg, ast.Dict):
            yield from _keys(arg)
        elif isinstance(arg, ast.Name):
            yield from dicts.get(arg.id, ())


def _dicts(tree: ast.AST) -> dict[str, _Values]:
    """The keys of dictionaries that were given a name; of several by one name, all."""
    found: dict[str, _Values] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = (*found.get(target.id, ()), *_keys(node.value))
    return found


def _keys(node: ast.Dict) -> Iterator[tuple[str, str]]:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
            yield key.value, _shown(value)


def _shown(value: ast.expr) -> str:
    """A constant as text, a name as `{name}`, the field of an answer as `[field]`; else empty."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.Name):
        return f"{{{value.id}}}"
    field = value.slice if isinstance(value, ast.Subscript) else None
    return f"[{field.value!s}]" if isinstance(field, ast.Constant) and field.value != "id" else ""


def _only_base(tree: ast.Module, known: Mapping[str, str]) -> str:
    """The `base_url` of the clients of a module, if there is just one."""
    bases: set[Url] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "base_url":
            text = known.get(node.value.id) if isinstance(node.value, ast.Name) else None
            there = url(ast.Constant(text) if text else node.value, known)
            bases |= {there} if there else set()
    return "".join(bases.pop()).rstrip("/") if len(bases) == 1 else ""
