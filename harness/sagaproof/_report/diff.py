"""Two reports held against each other: which cells and findings the newer one has, and which it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sagaproof._report.diff_schema import CellChange, Diff, FindingChange
from sagaproof._report.schema import FindingPart, GridCellPart, Report, ScenarioPart
from sagaproof._report.standing import key_of
from sagaproof._tally.cells import COVERED

__all__ = ["difference"]


class _Place(NamedTuple):
    scenario: str
    operation: str
    phase: str
    attempt: str
    position: str
    fault: str


def difference(old: Report, new: Report) -> Diff:
    """What is otherwise in the newer report. Scenarios are told apart by their names."""
    was, now = _by_name(old), _by_name(new)
    cells, others = _cells(was.values()), _cells(now.values())
    pairs = {place: (cells.get(place), others.get(place)) for place in dict.fromkeys((*cells, *others))}
    bad = {place: (_is_violated(one), _is_violated(other)) for place, (one, other) in pairs.items()}
    seen = {place: (_is_covered(one), _is_covered(other)) for place, (one, other) in pairs.items()}

    def changes(places: Iterable[_Place]) -> tuple[CellChange, ...]:
        return tuple(_change(place, *pairs[place]) for place in places)

    return Diff(
        newly_violated=changes(at for at, (before, after) in bad.items() if after and not before),
        no_longer_violated=changes(
            at for at, (before, after) in bad.items() if before and not after and seen[at][1]
        ),
        newly_covered=changes(at for at, (before, after) in seen.items() if after and not before),
        newly_uncovered=changes(
            at for at, (before, after) in seen.items() if before and not after and at in others
        ),
        gone=changes(at for at in cells if at not in others),
        new_findings=_findings(was, now),
        fixed_findings=_findings(now, was),
        new_scenarios=tuple(name for name in now if name not in was),
        gone_scenarios=tuple(name for name in was if name not in now),
        apart=tuple(text for name in was if name in now for text in _apart(was[name], now[name])),
    )


def _by_name(report: Report) -> dict[str, ScenarioPart]:
    return {scenario.name: scenario for scenario in report.scenarios}


def _cells(scenarios: Iterable[ScenarioPart]) -> dict[_Place, GridCellPart]:
    return {
        _Place(scenario.name, row.operation, row.phase, row.attempt, row.position, fault): cell
        for scenario in scenarios
        for row in scenario.grid.rows
        for fault, cell in zip(scenario.grid.faults, row.cells, strict=True)
        if cell.state != "not applicable"
    }


def _is_violated(cell: GridCellPart | None) -> bool:
    return cell is not None and cell.state == "violated"


def _is_covered(cell: GridCellPart | None) -> bool:
    return cell is not None and cell.state in COVERED


def _change(place: _Place, before: GridCellPart | None, after: GridCellPart | None) -> CellChange:
    return CellChange(
        **place._asdict(),
        before=None if before is None else before.state,
        after=None if after is None else after.state,
        plan=None if after is None else after.plan,
        reason="" if after is None else after.reason,
    )


def _findings(was: Mapping[str, ScenarioPart], now: Mapping[str, ScenarioPart]) -> tuple[FindingChange, ...]:
    """The findings that are there now and were not before, in scenarios that both have or only now."""
    return tuple(
        _finding(name, finding)
        for name, scenario in now.items()
        for finding in scenario.findings
        if name not in was or key_of(finding) not in set(map(key_of, was[name].findings))
    )


def _finding(name: str, finding: FindingPart) -> FindingChange:
    return FindingChange(
        scenario=name,
        check=finding.check,
        claim=finding.claim,
        where=finding.where,
        says=finding.says,
        plan=finding.plan,
        replay=finding.replay,
        known=finding.known is not None,
    )


def _apart(old: ScenarioPart, new: ScenarioPart) -> Iterator[str]:
    """Why a difference may come of how the two were made, and not of the saga."""
    for when, part in (("old", old), ("new", new)):
        if part.shard is not None:
            numbers = ", ".join(map(str, part.shard.parts))
            yield f"{part.name}: the {when} report has shard {numbers} of {part.shard.of} only"
        if part.replayed is not None:
            yield f"{part.name}: the {when} report is that of one plan that was replayed"
    if old.settings is None or new.settings is None:
        return
    mine, yours = old.settings.model_dump(), new.settings.model_dump()
    for name, value in mine.items():
        if value != yours[name]:
            yield f"{old.name}: {name} was {value!r} and is {yours[name]!r}"
