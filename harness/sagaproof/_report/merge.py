"""Reports of tests, workers, shards and days as one. What they do not agree about is told, never dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sagaproof._report.merge_grid import RowKey, row_key
from sagaproof._report.merge_scenario import added, laid_over
from sagaproof._report.schema import ConflictPart, GridCellPart, Report, ScenarioPart

__all__ = ["Source", "merge"]


class Source(NamedTuple):
    """A report, and the name of the file that it came from."""

    name: str
    report: Report


class _Named(NamedTuple):
    name: str
    part: ScenarioPart


class _Difference(NamedTuple):
    what: Literal["settings", "code", "shards"]
    where: str
    one: object
    other: object


def merge(sources: Sequence[Source]) -> Report:
    """One report of all, with the scenarios by name. The gates that others asked about are left out."""
    found: dict[str, list[_Named]] = {}
    for source in sources:
        for part in source.report.scenarios:
            found.setdefault(part.name, []).append(_Named(source.name, part))
    conflicts = [one for source in sources for one in source.report.conflicts]
    conflicts += _other_versions(sources)
    scenarios = []
    for name in sorted(found):
        merged, told = _merged(found[name])
        scenarios.append(merged)
        conflicts += told
    return Report(
        version=next((source.report.version for source in sources if source.report.version), None),
        scenarios=tuple(scenarios),
        problems=tuple(dict.fromkeys(line for source in sources for line in source.report.problems)),
        conflicts=tuple(dict.fromkeys(conflicts)),
    )


def _merged(parts: Sequence[_Named]) -> tuple[ScenarioPart, list[ConflictPart]]:
    """Shards that belong together are added up; then what tells of the same plans is laid over."""
    conflicts = list(_other_origins(parts))
    layers = [_Named(_names(layer), added([one.part for one in layer])) for layer in _layers(parts)]
    conflicts += _contradictions(layers)
    return laid_over([layer.part for layer in layers]), conflicts


def _layers(parts: Sequence[_Named]) -> list[list[_Named]]:
    """Each layer has different shards of one campaign, or one that is whole."""
    layers: list[list[_Named]] = []
    for one in parts:
        home = next(
            (layer for layer in layers if all(_can_be_added(one.part, to.part) for to in layer)), None
        )
        if home is None:
            layers.append([one])
        else:
            home.append(one)
    return layers


def _can_be_added(one: ScenarioPart, other: ScenarioPart) -> bool:
    if one.shard is None or other.shard is None or one.shard.of != other.shard.of:
        return False
    apart = set(one.shard.parts).isdisjoint(other.shard.parts)
    return apart and _origin(one) == _origin(other)


def _origin(part: ScenarioPart) -> tuple[object, ...]:
    return (part.settings, part.scripts, part.fault_free, part.revision)


def _names(layer: Sequence[_Named]) -> str:
    return ", ".join(dict.fromkeys(one.name for one in layer))


# Conflicts ----------------------------------------------------------------------------------------------


def _other_versions(sources: Sequence[Source]) -> Iterator[ConflictPart]:
    first, *others = sources
    for other in others:
        if other.report.version != first.report.version:
            text = f"sagaproof {first.report.version} in {first.name}, {other.report.version} in {other.name}"
            yield ConflictPart(scenario="", what="code", where="version", text=text)


def _other_origins(parts: Sequence[_Named]) -> Iterator[ConflictPart]:
    """Where parts were not made of the same code under the same settings as the first."""
    first, *others = parts
    for other in others:
        for what, where, one, two in _differences(first.part, other.part):
            text = (
                f"{one} in {first.name}, {two} in {other.name}: they are laid over each other, not added up"
            )
            yield ConflictPart(scenario=first.part.name, what=what, where=where, text=text)


def _differences(one: ScenarioPart, other: ScenarioPart) -> Iterator[_Difference]:
    mine = {} if one.settings is None else one.settings.model_dump()
    yours = {} if other.settings is None else other.settings.model_dump()
    for name in dict.fromkeys((*mine, *yours)):
        if mine.get(name) != yours.get(name):
            yield _Difference("settings", name, mine.get(name), yours.get(name))
    if one.scripts != other.scripts:
        yield _Difference("settings", "scripts", ", ".join(one.scripts), ", ".join(other.scripts))
    if one.revision != other.revision:
        yield _Difference("code", "revision", one.revision, other.revision)
    if one.fault_free != other.fault_free:
        yield _Difference("code", "run without faults", one.fault_free, other.fault_free)
    if one.shard is not None and other.shard is not None and one.shard.of != other.shard.of:
        yield _Difference("shards", "", f"one of {one.shard.of} shards", f"one of {other.shard.of} shards")


def _contradictions(layers: Sequence[_Named]) -> Iterator[ConflictPart]:
    """Where layers that tell of the same plans do not tell the same of them as the first that does."""
    for number, layer in enumerate(layers):
        for earlier in layers[:number]:
            if (
                earlier.part.shard == layer.part.shard
                and layer.part.replayed is earlier.part.replayed is None
            ):
                yield from _tallies(earlier, layer)
                yield from _cells(earlier, layer)


def _tallies(one: _Named, other: _Named) -> Iterator[ConflictPart]:
    if one.part.settings != other.part.settings:
        return
    for mine, yours in zip(one.part.tally, other.part.tally, strict=False):
        if mine.complete and yours.complete and mine.reachable != yours.reachable:
            text = (
                f"{mine.reachable} reachable in {one.name}, {yours.reachable} in {other.name}: "
                f"{max(mine.run + mine.pruned, yours.run + yours.pruned)} is kept"
            )
            yield ConflictPart(scenario=one.part.name, what="tally", where=f"k={mine.k}", text=text)


def _cells(one: _Named, other: _Named) -> Iterator[ConflictPart]:
    known = _by_place(one.part)
    for place, cell in _by_place(other.part).items():
        there = known.get(place)
        if there is None or "violated" not in {cell.state, there.state}:
            continue
        if {cell.state, there.state} & {"held", "inert", "pruned"}:
            text = f"{there.state} in {one.name}, {cell.state} in {other.name}: kept as violated"
            where = f"{'/'.join(place[0])}={place[1]}"
            yield ConflictPart(scenario=one.part.name, what="cell", where=where, text=text)


def _by_place(part: ScenarioPart) -> dict[tuple[RowKey, str], GridCellPart]:
    return {
        (row_key(row), fault): cell
        for row in part.grid.rows
        for fault, cell in zip(part.grid.faults, row.cells, strict=True)
    }
