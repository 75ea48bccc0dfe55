"""What can be asked of a report as a whole: so many cells covered, these phases and families covered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from sagaproof._model.faults import FAULTS
from sagaproof._model.point import Phase
from sagaproof._report.plain import shorten
from sagaproof._report.schema import GatePart, Report
from sagaproof._tally.cells import COVERED, CellState
from sagaproof.errors import UsageError, suggest

__all__ = ["Gates", "judged"]

_NAMES: Final = frozenset({*map(str, Phase), *(fault.family for fault in FAULTS.values())})
_NAMED_MAX: Final = 3
_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class Gates:
    """`fail_under` is the least share of covered cells, in per cent; None asks for none.

    Of each phase or family in `require` a cell must be covered, and none skipped. Raises `UsageError` for a
    share that is none, and for a name that is neither.
    """

    fail_under: float | None = None
    require: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.fail_under is not None and not 0 <= self.fail_under <= 100:
            raise UsageError(f"fail-under={self.fail_under:g} is no share", advice="Give 0 to 100 per cent.")
        for name in self.require:
            if _spaced(name) not in _NAMES:
                raise UsageError(
                    f"there is no phase or family {name!r} that could be required",
                    advice=suggest(name, sorted(_NAMES)),
                )


class _Cell(NamedTuple):
    state: CellState
    fault: str
    phase: str
    where: str
    reason: str

    @property
    def is_covered(self) -> bool:
        return self.state in COVERED

    @property
    def can_be(self) -> bool:
        """Whether it is covered or could have been."""
        return self.is_covered or self.state is CellState.SKIPPED

    def is_of(self, name: str) -> bool:
        """Whether it is of that phase or family."""
        return name in {self.phase, _family(self.fault)}


def judged(report: Report, gates: Gates) -> Report:
    """The report with what each gate came to. The cells of all its scenarios are counted together."""
    cells = list(_cells(report))
    parts = [*report.gates]
    if gates.fail_under is not None:
        parts.append(_share(cells, gates.fail_under))
    parts.extend(_required(name, cells, report) for name in gates.require)
    return report.model_copy(update={"gates": tuple(parts)})


def _cells(report: Report) -> Iterator[_Cell]:
    for scenario in report.scenarios:
        for row in scenario.grid.rows:
            for fault, cell in zip(scenario.grid.faults, row.cells, strict=True):
                where = f"{fault} at {row.operation} ({row.phase}, {row.attempt}) in {scenario.name}"
                yield _Cell(CellState(cell.state), fault, row.phase, where, cell.reason)


def _share(cells: Iterable[_Cell], least: float) -> GatePart:
    asked = [cell for cell in cells if cell.can_be]
    covered = sum(cell.is_covered for cell in asked)
    # Not rounded: 94.96 per cent is not 95.
    passed = bool(asked) and 100 * covered >= least * len(asked)
    share = f"{_down(100 * covered / len(asked))} %" if asked else "none"
    text = f"fail-under: {covered} of {len(asked)} cells are covered ({share}), at least {least:g} % wanted"
    return GatePart(gate="fail-under", passed=passed, text=text + _left(asked if not passed else ()))


def _required(name: str, cells: Iterable[_Cell], report: Report) -> GatePart:
    of_it = [cell for cell in cells if cell.is_of(_spaced(name))]
    asked = [cell for cell in of_it if cell.can_be]
    covered = sum(cell.is_covered for cell in asked)
    passed = bool(covered) and covered == len(asked)
    text = f"require {name}: {covered} of {len(asked)} cells are covered{_left(asked)}"
    if not asked:
        text = f"require {name}: {_why_none(name, of_it, report)}"
    return GatePart(gate="require", passed=passed, text=text)


def _why_none(name: str, of_it: list[_Cell], report: Report) -> str:
    """Why there is nothing that could be covered, by the first reason that is known."""
    reasons = [f"{cell.state.value}: {cell.reason}" for cell in of_it if cell.reason]
    reasons += [
        f"left out: {left.reason}"
        for scenario in report.scenarios
        for left in scenario.excluded
        if _spaced(name) in _families(left.fault)
    ]
    why = f" ({reasons[0]})" if reasons else ""
    advice = "Test a saga that gets there, with more faults if need be, or ask for less"
    return f"no cell of it can be covered{why}. {advice}"


def _left(cells: Iterable[_Cell]) -> str:
    """The first cells that are not covered."""
    left = [shorten(cell.where, _WIDTH) for cell in cells if not cell.is_covered]
    if not left:
        return ""
    more = f", and {len(left) - _NAMED_MAX} more" if len(left) > _NAMED_MAX else ""
    return f"; skipped: {', '.join(left[:_NAMED_MAX])}{more}"


def _family(fault: str) -> str:
    return FAULTS[fault].family if fault in FAULTS else ""


def _families(pattern: str) -> set[str]:
    """The families of the faults that an exclusion speaks of."""
    kind = pattern.partition("/")[0]
    return {one.family for one in FAULTS.values() if fnmatchcase(one.name, kind) or one.family == kind}


def _spaced(name: str) -> str:
    """The name of a family as it is in the table, where a command line has a dash for a blank."""
    return name.replace("-", " ")


def _down(share: float) -> str:
    """Per cent with one digit, never rounded up."""
    return f"{int(share * 10) / 10:.1f}"
