"""The services behind the requests: bundled fakes that have all of the routes, or systems to be written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from sagaproof._doors.init.requests import Request
from sagaproof._taps.arguments import Misfit
from sagaproof._taps.routes import Routes
from sagaproof._world.system import System

__all__ = ["Service", "services_of"]


class Service(NamedTuple):
    """One base URL: its name, its requests, and whether a bundled system answers all of them."""

    name: str
    base: str
    requests: tuple[Request, ...]
    bundled: bool
    usual: bool
    """Whether it is where the bundled system answers anyway."""


def services_of(requests: Iterable[Request], systems: Mapping[str, System]) -> list[Service]:
    """The services of these requests, in the order of their first."""
    by_base: dict[str, list[Request]] = {}
    for one in requests:
        by_base.setdefault(one.base, []).append(one)
    found: list[Service] = []
    for base, made in by_base.items():
        taken = {one.name for one in found}
        free = {name: system for name, system in systems.items() if name not in taken}
        own = Service(_name(base, taken), base, tuple(made), bundled=False, usual=False)
        found.append(_bundled(base, made, free) or own)
    return found


def _bundled(base: str, made: Sequence[Request], systems: Mapping[str, System]) -> Service | None:
    """The system that answers all of them, at the base or below what all of their paths begin with."""
    for prefix in _prefixes([one.path for one in made]):
        below = tuple(one._replace(base=base + prefix, path=one.path[len(prefix) :]) for one in made)
        same = next((name for name, system in systems.items() if _answers(system, below)), None)
        if same is not None:
            there = urlsplit(base + prefix)
            usual = there.hostname in systems[same].hosts and not there.path
            return Service(same, base + prefix, below, bundled=True, usual=usual)
    return None


def _prefixes(paths: Sequence[str]) -> Iterator[str]:
    """What all paths begin with, in whole segments, shortest first; something is left of each."""
    prefix = ""
    yield prefix
    for segment in paths[0].split("/")[1:-1]:
        prefix = f"{prefix}/{segment}"
        if "{" in segment or not all(path.startswith(f"{prefix}/") for path in paths):
            return
        yield prefix


def _answers(system: System, requests: Sequence[Request]) -> bool:
    """Whether the system has a route for each of them, with these arguments."""
    routes = Routes(system)
    for one in requests:
        match = routes.find(one.method, re.sub(r"\{\w+\}", "x", one.path))
        if isinstance(match, Misfit) or not set(one.fields) <= {*match.types, *match.args}:
            return False
        needed = system.declarations()[match.operation].required - {*match.args}
        if one.fields and not needed <= set(one.fields):
            return False
    return bool(requests)


def _name(base: str, taken: set[str]) -> str:
    """A name after the host: `https://api.acme.example/v2` is `acme`."""
    labels = [label for label in (urlsplit(base).hostname or "").split(".") if label not in {"www", "api"}]
    words = labels[:-1] or labels
    name = re.sub(r"\W", "_", words[0] if words else "service")
    name = name if name.isidentifier() else "service"
    count = 1
    while name in taken:
        count += 1
        name = f"{name.rstrip('0123456789')}{count}"
    return name
