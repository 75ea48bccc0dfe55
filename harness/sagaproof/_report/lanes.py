"""A timeline as swim lanes: a column for each system, what the client was told beside what happened there."""

from __future__ import annotations

from typing import Final, NamedTuple

from sagaproof._report.schema import FindingPart, Step

__all__ = ["Lanes", "Row", "lanes"]

_AT_A_SYSTEM: Final = {"call", "landed", "noted", "event"}


class Row(NamedTuple):
    """A step with the number of its lane, None where it is of no system.

    `gap`: an effect is there, or lies in the store, that the client was not told of. `apart`: here the run
    parts from its passing twin.
    """

    step: Step
    lane: int | None
    gap: bool
    apart: bool

    @property
    def text(self) -> str:
        """What is to stand in the lane."""
        return self.step.happened or self.step.remark or "sent"


class Lanes(NamedTuple):
    """The systems in the order in which the run came to them, and the rows."""

    systems: tuple[str, ...]
    rows: tuple[Row, ...]


def lanes(finding: FindingPart) -> Lanes:
    """The swim lanes of a finding; a store of the saga's own has a lane as a system has."""
    named = (_system(step) for step in finding.timeline)
    systems = tuple(dict.fromkeys(name for name in named if name))
    parting = _parting(finding)
    return Lanes(
        systems,
        tuple(
            Row(
                step,
                systems.index(_system(step)) if _system(step) else None,
                step.kind == "call" and step.applied > 0 and not step.ok,
                position == parting,
            )
            for position, step in enumerate(finding.timeline)
        ),
    )


def _system(step: Step) -> str:
    return step.operation.partition(".")[0] if step.kind in _AT_A_SYSTEM else ""


def _parting(finding: FindingPart) -> int | None:
    """The position of the first step that is not as in the twin; None where the timeline does not show it."""
    if finding.twin is None or not finding.twin.step:
        return None
    for position, step in enumerate(finding.timeline):
        name = step.what if step.number is None else f"{step.number} {step.what}"
        if name == finding.twin.step:
            return position
    return None
