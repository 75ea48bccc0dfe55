"""Texts that are put together in the source: what a URL is, as far as it can be read without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

__all__ = ["Url", "constants", "url"]

_HTTP: Final = re.compile(r"https?://[^/{}\s]+")


class Url(NamedTuple):
    """`base` as the settings hold it, and the path below it, with `{name}` for what is put in."""

    base: str
    path: str


def constants(trees: Iterable[ast.Module]) -> dict[str, str]:
    """The URLs that modules, classes and defaults of arguments give a name, by that name."""
    found: dict[str, str] = {}
    for tree in trees:
        for node in ast.walk(tree):
            for name, value in _named(node):
                text = value.value if isinstance(value, ast.Constant) else None
                if isinstance(text, str) and _HTTP.match(text):
                    found.setdefault(name, text)
    return found


def _named(node: ast.AST) -> Iterable[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=False)
                yield from ((one.id, value) for one, value in pairs if isinstance(one, ast.Name))
            elif isinstance(target, ast.Name | ast.Attribute):
                yield _last(target), node.value
    elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, ast.arguments):
        positional = [*node.posonlyargs, *node.args]
        first = len(positional) - len(node.defaults)
        yield from ((arg.arg, value) for arg, value in zip(positional[first:], node.defaults, strict=True))
        yield from ((a.arg, v) for a, v in zip(node.kwonlyargs, node.kw_defaults, strict=True) if v)
    elif isinstance(node, ast.keyword) and node.arg in {"base_url", "default"}:
        yield node.arg, node.value


def url(node: ast.AST, known: Mapping[str, str], base: str = "") -> Url | None:
    """The URL that an expression is; None if it is none, or not to be read. `base` is put before a path."""
    if not isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
        return None
    parts = [(text, whole) for text, whole in _parts(node, known) if text]
    text = "".join(part for part, _ in parts)
    if base and text.startswith("/"):
        return Url(base.rstrip("/"), text.partition("?")[0])
    host = _HTTP.match(text)
    if host is None:
        return None
    first, named = parts[0]
    start = first.rstrip("/") if named and _HTTP.match(first) else host[0]
    path = text[len(start) :].partition("?")[0]
    return Url(start, path if path.startswith("/") else f"/{path}")


def _parts(node: ast.AST, known: Mapping[str, str]) -> Iterable[tuple[str, bool]]:
    """The pieces of a text, each with whether it came from a name."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value, False
    elif isinstance(node, ast.JoinedStr):
        for value in node.values:
            yield from _parts(value, known)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _parts(node.left, known)
        yield from _parts(node.right, known)
    else:
        inner = node.value if isinstance(node, ast.FormattedValue) else node
        name = _last(inner)
        yield (known[name], True) if name in known else (f"{{{name}}}", False)


def _last(node: ast.AST) -> str:
    """A name for an expression: `credit["id"]` is `credit_id`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return re.sub(r"\W", "_", f"{_last(node.value)}_{node.slice.value!s}").lower()
    return "id"
