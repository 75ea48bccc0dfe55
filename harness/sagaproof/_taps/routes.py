"""The routes of one system: from a request to the delivery that it means.

It knows nothing of hosts, of faults, or of the library that carries the request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from sagaproof._taps.arguments import Misfit, Types, arguments, headers_that_count, typed
from sagaproof._world.delivery import Delivery
from sagaproof._world.system import System
from sagaproof.errors import UsageError, suggest

__all__ = ["Match", "Routes", "delivery"]

_ROUTE: Final = re.compile(r"([A-Z]+) ((?:/(?:\{[a-z_][a-z0-9_]*\}|[^/{}?#\s]+))+|/)")
_UNDO: Final = "POST /operations/{operation}/{key}/undo"


class Match(NamedTuple):
    """What method and path of a request lead to. With `target_key` it is an undo by that key."""

    operation: str
    args: Mapping[str, Any]
    types: Types
    target_key: str | None = None


def delivery(
    match: Match, query: str, headers: Iterable[tuple[bytes, bytes]], body: bytes
) -> Delivery | Misfit:
    """The call that a request is, or the answer to one that is none (400, 415)."""
    if match.target_key is not None:
        return Delivery(match.operation, {}, target_key=match.target_key)
    content_type, key, if_match = headers_that_count(headers)
    if not query and not body:
        return Delivery(match.operation, dict(match.args), key, if_match)
    args = arguments(query, body, content_type, match.types)
    if isinstance(args, Misfit):
        return args
    for name, value in match.args.items():
        if args.setdefault(name, value) != value:
            message = f"{name} is {value!r} in the path and {args[name]!r} beside it"
            return Misfit.of(400, "contradiction", message)
    return Delivery(match.operation, args, key, if_match)


class _Target(NamedTuple):
    """What a route leads to; `operation` is empty for the undo by key, whose path names it."""

    operation: str
    route: str
    params: tuple[tuple[int, str], ...]
    types: Types


class _Node:
    """One segment further into the paths."""

    __slots__ = ("any", "literal", "targets")

    def __init__(self) -> None:
        self.literal: dict[str, _Node] = {}
        self.any: _Node | None = None
        self.targets: dict[str, _Target] = {}

    def ends(self, segments: Sequence[str], at: int = 0) -> Iterator[dict[str, _Target]]:
        """The targets of every pattern that fits, a literal segment before a parameter."""
        if at == len(segments):
            if self.targets:
                yield self.targets
            return
        segment = segments[at]
        literal = self.literal.get(segment)
        if literal is not None:
            yield from literal.ends(segments, at + 1)
        if self.any is not None and segment:
            yield from self.any.ends(segments, at + 1)


class Routes:
    """The routes that the operations of a system declare, and undo by key.

    Raises `UsageError` for a route that cannot be read, that names a parameter its operation does not
    have, or that another operation has too.
    """

    def __init__(self, system: System) -> None:
        self._name = system.name
        self._root = _Node()
        self._known: list[str] = []
        for name, known in system.declarations().items():
            if known.route:
                self._put(name, known.route, known.types)
        self._undoes = dict(_undoes(system))
        if self._undoes:
            self._put("", _UNDO, {"operation": (str,), "key": (str,)})

    def find(self, method: str, path: str) -> Match | Misfit:
        """The operation at a path, which has its percent signs still, or a misfit (404, 405)."""
        segments = [unquote(segment) for segment in path.split("/")[1:]]
        others: list[str] = []
        for targets in self._root.ends(segments):
            target = targets.get(method)
            if target is not None:
                return self._match(target, segments)
            others += targets
        asked = f"{method} {path}"
        if others:
            allow = ", ".join(sorted(set(others)))
            message = f"{self._name} has no {asked}; there, it has {allow}"
            return Misfit.of(405, "method_not_allowed", message, allow)
        alike = [route for route in self._known if route.startswith(f"{method} ")]
        advice = suggest(asked, alike or self._known)
        return Misfit.of(404, "no_such_route", f"{self._name} has no {asked}. {advice}".rstrip())

    def _match(self, target: _Target, segments: Sequence[str]) -> Match | Misfit:
        args = typed(((name, segments[at]) for at, name in target.params), target.types)
        if target.operation:
            return Match(target.operation, args, target.types)
        undo = self._undoes.get(args["operation"])
        if undo is None:
            advice = suggest(args["operation"], self._undoes)
            message = f"{self._name}.{args['operation']} cannot be undone by key. {advice}".rstrip()
            return Misfit.of(404, "nothing_to_undo", message)
        return Match(undo, {}, {}, args["key"])

    def _put(self, name: str, route: str, types: Types) -> None:
        """Enter a route into the tree."""
        match = _ROUTE.fullmatch(route)
        if match is None:
            raise UsageError(
                f"route {route!r} of {self._name}.{name} cannot be read",
                advice='Write METHOD /path/{parameter}, such as "POST /credits/{credit_id}/reverse".',
            )
        node, params = self._root, []
        for at, segment in enumerate(match[2].split("/")[1:]):
            if segment.startswith("{"):
                params.append((at, segment[1:-1]))
                node.any = node = node.any or _Node()
            else:
                node = node.literal.setdefault(segment, _Node())
        self._check(name, route, node.targets.get(match[1]), [param for _, param in params], types)
        node.targets[match[1]] = _Target(name, route, tuple(params), types)
        self._known.append(route)

    def _check(
        self, name: str, route: str, taken: _Target | None, params: Sequence[str], types: Types
    ) -> None:
        if taken is not None:
            both = f"{taken.operation} ({taken.route}) and {name or 'undo by key'} ({route})"
            raise UsageError(
                f"{self._name} has one route for two operations, {both}",
                advice="Give one of them another path.",
            )
        for at, param in enumerate(params):
            if param in params[:at] or param not in types:
                wrong = "twice" if param in params[:at] else "which is no parameter of it"
                raise UsageError(
                    f"route {route!r} of {self._name}.{name} has {{{param}}}, {wrong}",
                    advice=suggest(param, types),
                )


def _undoes(system: System) -> Iterator[tuple[str, str]]:
    """Each operation that can be undone by key, with the operation that does it."""
    for name in system.operations():
        try:
            yield name, system.undo_operation(name)
        except UsageError:
            continue
