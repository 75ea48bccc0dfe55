"""What a saga is called with in its test: made up, by the names and the annotations of its parameters."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from sagaproof._doors.init.sources import Function

__all__ = ["arguments_of", "is_number", "sample"]

_NUMBERS: Final = {"amount", "cents", "count", "price", "quantity", "qty", "rate", "sum", "total"}
_BY_TYPE: Final = {"int": "100", "float": "1.0", "bool": "False", "dict": "{}", "bytes": 'b"1"', "Any": ""}
_CLIENTS: Final = {"client", "http", "session", "http_client"}


def arguments_of(function: Function, tools: Mapping[str, str]) -> dict[str, str] | None:
    """An expression for each parameter without a default, `tools` for some; None if one cannot be made up."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    needed = positional[: len(positional) - len(given.defaults)]
    needed += [arg for arg, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is None]
    found: dict[str, str] = {}
    for arg in needed:
        text = tools.get(arg.arg) or sample(arg.arg, arg.annotation)
        if not text:
            return None
        found[arg.arg] = text
    return {**found, **{name: text for name, text in tools.items() if name not in found}}


def sample(name: str, annotation: ast.expr | None = None) -> str:
    """An expression that will do for a parameter; empty if its type is not known here."""
    kind = "" if annotation is None else ast.unparse(annotation).strip("\"'")
    last = kind.partition("[")[0].partition(" |")[0].rpartition(".")[2]
    if last in {"Client", "AsyncClient"} or (not kind and name in _CLIENTS):
        return f"httpx.{last or 'Client'}(timeout=5)"
    if last in {"list", "tuple", "set", "Sequence", "Iterable", "Collection"}:
        return f'["{name.removesuffix("s")}-1"]'
    if last in {"Mapping", "MutableMapping"}:
        return "{}"
    if kind and last not in {"str", "Any"}:
        return _BY_TYPE.get(last, "")
    return "100" if is_number(name) and last != "str" else f'"{name}-1"'


def is_number(name: str) -> bool:
    """Whether a name speaks of a number."""
    return bool(_NUMBERS & set(name.lower().split("_")))
