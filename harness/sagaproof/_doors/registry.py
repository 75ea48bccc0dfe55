"""Looking up what packages have registered: systems, scenarios and planted bugs, by entry points."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias, TypeVar

from sagaproof._search.planted import Planted
from sagaproof._search.scenario import Scenario
from sagaproof._world.system import System
from sagaproof.errors import UsageError, suggest

__all__ = ["PLANTED", "SCENARIOS", "SYSTEMS", "SystemSpec", "planted", "scenario", "scenarios", "systems"]

SYSTEMS = "sagaproof.systems"
SCENARIOS = "sagaproof.scenarios"
PLANTED = "sagaproof.planted"

One = TypeVar("One", Planted, Scenario)

SystemSpec: TypeAlias = "str | type[System] | System"
"""A registered name, a `module:Class`, a class or an instance."""


def systems(specs: Iterable[SystemSpec] | None = None) -> dict[str, System]:
    """A system for each of these, by its name; without any, one for each that is registered.

    Raises `UsageError` for a name that nobody registered, an entry point that cannot be loaded, and two
    systems of one name.
    """
    points = _points(SYSTEMS)
    found: dict[str, System] = {}
    for spec in points if specs is None else specs:
        system = _system(spec, points)
        if system.name in found:
            raise UsageError(
                f"two systems are called {system.name!r}", advice="Give one of them another name."
            )
        found[system.name] = system
    return found


def _system(spec: SystemSpec, points: dict[str, EntryPoint]) -> System:
    if isinstance(spec, System):
        return spec
    made: Any = spec
    where = repr(spec)
    if isinstance(spec, str) and ":" in spec:
        made = _from_module(spec)
    elif isinstance(spec, str):
        if spec not in points:
            raise UsageError(f"no system is registered as {spec!r}", advice=suggest(spec, points))
        made, where = _load(points[spec]), f"entry point {points[spec].value!r}"
    system = made() if isinstance(made, type) and issubclass(made, System) else made
    if not isinstance(system, System):
        raise UsageError(
            f"{where} is {made!r}, which is no System", advice="Name a subclass of sagaproof.System."
        )
    if isinstance(spec, str) and ":" not in spec and system.name != spec:
        raise UsageError(
            f"the system registered as {spec!r} calls itself {system.name!r}",
            where=where,
            advice="Register it under its own name.",
        )
    return system


def _from_module(spec: str) -> Any:
    module, _, name = spec.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"system {spec!r} cannot be loaded: {error}", advice="Write it as module:Class."
        ) from error


def scenarios() -> dict[str, Scenario]:
    """Each registered scenario, by its name. Raises `UsageError` for one that is broken."""
    found: dict[str, Scenario] = {}
    for point in _points(SCENARIOS).values():
        for scenario in _values_in(point, Scenario):
            if scenario.name in found:
                raise UsageError(
                    f"two scenarios are called {scenario.name!r}",
                    where=f"entry point {point.value!r}",
                    advice="Give one of them another name.",
                )
            found[scenario.name] = scenario
    return dict(sorted(found.items()))


def scenario(name: str) -> Scenario:
    """The scenario of that name. Raises `UsageError` with the nearest name."""
    known = scenarios()
    if name not in known:
        raise UsageError(f"there is no scenario {name!r}", advice=suggest(name, known))
    return known[name]


def planted(names: Iterable[str] = ()) -> list[Planted]:
    """Each registered planted bug, or those of these ids, by id. Raises `UsageError` as for scenarios."""
    known: dict[str, Planted] = {}
    for point in _points(PLANTED).values():
        for one in _values_in(point, Planted):
            if one.id in known:
                raise UsageError(
                    f"two planted bugs are called {one.id!r}",
                    where=f"entry point {point.value!r}",
                    advice="Give one of them another id.",
                )
            known[one.id] = one
    for name in names:
        if name not in known:
            raise UsageError(f"there is no planted bug {name!r}", advice=suggest(name, known))
    return [known[name] for name in sorted(names or known)]


def _values_in(point: EntryPoint, kind: type[One]) -> list[One]:
    """What an entry point names: one value, a list of them, or a function that returns one of these."""
    loaded = _load(point)
    if callable(loaded) and not isinstance(loaded, kind):
        loaded = loaded()
    found = [loaded] if isinstance(loaded, kind) else loaded
    if not isinstance(found, list | tuple) or not all(isinstance(one, kind) for one in found):
        raise UsageError(
            f"entry point {point.name} = {point.value!r} gives {loaded!r}",
            advice=f"Let it name a {kind.__name__}, a list of them, or a function that returns one of these.",
        )
    return list(found)


def _points(group: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        known = found.setdefault(point.name, point)
        if known.value != point.value:
            raise UsageError(
                f"{point.name!r} is registered twice in {group}: as {known.value} and as {point.value}",
                advice="Uninstall one of the two packages.",
            )
    return dict(sorted(found.items()))


def _load(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:  # whatever the import of somebody else's module raises
        package = point.dist.name if point.dist is not None else "a package"
        raise UsageError(
            f"entry point {point.name} = {point.value!r} of {package} cannot be loaded: "
            f"{type(error).__name__}: {error}",
            advice=f"Mend or reinstall {package}.",
        ) from error
