"""The operations that the requests of a service stand for: name, class, and which takes back which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from sagaproof._doors.init.requests import Request
from sagaproof._doors.init.words import effect_class, is_undo, singular

__all__ = ["Route", "routes_of"]

_VERBS = {"GET": "get", "POST": "create", "PUT": "set", "PATCH": "set", "DELETE": "delete"}


class Route(NamedTuple):
    """An operation to be written. `params` are those of the path, `fields` those of the body."""

    name: str
    method: str
    path: str
    cls: int
    params: tuple[str, ...]
    fields: tuple[str, ...]
    undoes: str = ""

    @property
    def creates(self) -> bool:
        """Whether it makes a row of its own."""
        return self.method == "POST" and not self.undoes


def routes_of(requests: Iterable[Request]) -> list[Route]:
    """A route for each method and path; fields of several requests come together."""
    merged: dict[tuple[str, str], tuple[str, ...]] = {}
    for one in requests:
        key = one.method, _steady(one.path)
        merged[key] = tuple(dict.fromkeys((*merged.get(key, ()), *one.fields)))
    found: dict[str, Route] = {}
    for (method, path), fields in sorted(merged.items(), key=lambda item: len(item[0][1])):
        route = _route(method, path, fields, list(found.values()))
        name = route.name
        while name in found:
            name = f"{name}_too"
        found[name] = route._replace(name=name)
    undone = {route.undoes for route in found.values()}
    return [
        route._replace(cls=min(route.cls, 4)) if route.name in undone else route for route in found.values()
    ]


def _steady(path: str) -> str:
    """The path with a name of its own for each parameter, after what stands before it."""
    segments: list[str] = []
    for segment in path.rstrip("/").split("/"):
        if "{" in segment:
            before = re.sub(r"\W", "_", singular(segments[-1])) if segments else ""
            name = f"{before.lower()}_id" if before.isidentifier() else f"id_{len(segments)}"
            segments.append(f"{{{name}}}")
        else:
            segments.append(re.sub(r"[{}?#\s]", "", segment))
    return "/".join(segments) or "/"


def _route(method: str, path: str, fields: tuple[str, ...], before: list[Route]) -> Route:
    params = tuple(re.findall(r"\{(\w+)\}", path))
    literal = [segment for segment in path.split("/") if segment and "{" not in segment] or ["root"]
    last = re.sub(r"\W", "_", literal[-1]).lower()
    fields = tuple(field for field in fields if field not in params)
    is_action = method == "POST" and path.rpartition("/")[0].endswith("}") and not last.endswith("s")
    thing = singular(re.sub(r"\W", "_", literal[-2]).lower()) if is_action and len(literal) > 1 else ""
    name = f"{last}_{thing}" if thing else f"{_VERBS[method]}_{singular(last)}"
    made = next((one for one in before if one.creates and _is_below(path, one.path)), None)
    if made is not None and (method == "DELETE" or is_undo(last)):
        return Route(name, method, path, min(made.cls, 4), params, fields, made.name)
    cls = {"GET": 1, "PUT": 2, "PATCH": 2, "DELETE": 5}.get(method) or max(effect_class(f"do_{last}"), 3)
    return Route(name, method, path, cls, params, fields)


def _is_below(path: str, collection: str) -> bool:
    return bool(re.fullmatch(re.escape(collection) + r"/\{\w+\}(/\w+)?", path))
