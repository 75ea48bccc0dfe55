"""Which system answers for which host, port and path prefix, and with which of its operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from sagaproof._taps.arguments import Misfit
from sagaproof._taps.routes import Match, Routes
from sagaproof._world.system import System
from sagaproof.errors import HostClash, UsageError, suggest

__all__ = ["Found", "Hosts"]

_USUAL_PORTS: Final = {80, 443}
_PATHS_MAX: Final = 4096


class Found(NamedTuple):
    """The system that a request reaches, and the operation of it, or why it means none."""

    system: System
    match: Match | Misfit


class _Place(NamedTuple):
    """Where a system is found. `port` None is any port; `prefix` is empty or begins with a slash."""

    port: int | None
    prefix: str
    system: System
    routes: Routes


class Hosts:
    """The places of all systems: their own `hosts`, or those that `overrides` gives for their names.

    A host is written with or without scheme, port and path prefix: `billing.acme.test`,
    `https://acme.test/billing`, `localhost:8001`. The longest prefix that fits wins. Raises `HostClash`
    if two systems have the same place, `UsageError` for a host that cannot be read or a system that is
    not there.
    """

    def __init__(
        self, systems: Mapping[str, System], overrides: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        overrides = dict(overrides or {})
        for name in overrides:
            if name not in systems:
                raise UsageError(
                    f"hosts are given for {name!r}, which is no system", advice=suggest(name, systems)
                )
        self._places: dict[str, list[_Place]] = {}
        for name, system in systems.items():
            given = overrides.get(name, system.hosts)
            written = (given,) if isinstance(given, str) else tuple(given)
            if written:
                self._add(system, Routes(system), written)
        for places in self._places.values():
            places.sort(key=lambda place: (-len(place.prefix), place.port is None))
        self.find = lru_cache(maxsize=_PATHS_MAX)(self._find)
        """By host, port, method and path: what a request reaches; None if its host is none of ours."""

    def whole(self) -> frozenset[str]:
        """The hosts that belong to one system on every port and path."""
        return frozenset(
            host for host, (place, *more) in self._places.items() if not (more or place.port or place.prefix)
        )

    def _find(self, host: str, port: int, method: str, path: str) -> Found | None:
        here = [place for place in self._places.get(host, ()) if place.port in {None, port}]
        for place in here:
            rest = path.removeprefix(place.prefix)
            if path.startswith(place.prefix) and rest[:1] in {"/", ""}:
                return Found(place.system, place.routes.find(method, rest or "/"))
        if not here:
            return None
        known = ", ".join(place.prefix for place in here)
        message = f"{host} has nothing at {path}; its prefixes are {known}"
        return Found(here[0].system, Misfit.of(404, "no_such_route", message))

    def _add(self, system: System, routes: Routes, written: Iterable[str]) -> None:
        for text in written:
            host, port, prefix = _read(text, system.name)
            places = self._places.setdefault(host, [])
            taken = next((p for p in places if (p.port, p.prefix) == (port, prefix)), None)
            if taken is None:
                places.append(_Place(port, prefix, system, routes))
            elif taken.system is not system:
                raise HostClash(
                    f"{text!r} belongs to both {taken.system.name!r} and {system.name!r}",
                    advice="Give one of them another host, port or path prefix (host/prefix).",
                )


def _read(text: str, system: str) -> tuple[str, int | None, str]:
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if not host or parts.query or parts.fragment or "@" in parts.netloc or any(c in host for c in "*{} "):
        raise UsageError(
            f"host {text!r} of {system} cannot be read",
            advice='Write a host with or without scheme, port and prefix, such as "https://acme.test/billing".',
        )
    return host, None if port in _USUAL_PORTS else port, parts.path.rstrip("/")
