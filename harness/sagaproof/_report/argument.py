"""A finding as an argument: what the saga said, what is so all the same, why, and the rule that it breaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sagaproof._report.explanation import effect_of
from sagaproof._report.plain import show
from sagaproof._report.schema import FindingPart, Residue, ToldPart, WorldRow

__all__ = ["Argument", "argument"]

_BUT_MAX: Final = 4


class Argument(NamedTuple):
    """Each a sentence or, where nothing is known of it, empty; `but` has one for each contradiction."""

    claim: str
    but: tuple[str, ...]
    because: str
    rule: str


def argument(finding: FindingPart) -> Argument:
    """The argument of a finding, out of what was counted and noted of its run."""
    but = tuple(map(_standing, finding.residue)) or tuple(_left(finding))
    more = len(but) - _BUT_MAX
    return Argument(
        claim="" if finding.told is None else _claim(finding.told),
        but=but if more <= 0 else (*but[:_BUT_MAX], f"and {more} more, see the world at the end"),
        because=finding.because,
        rule=effect_of(finding.check),
    )


def _claim(told: ToldPart) -> str:
    where = f" at {told.where}" if told.where else ""
    if told.claim and told.how == "returned":
        return f"it said '{told.claim}'{where}"
    raised = f" {told.errors[0].type}: {told.errors[0].text}" if told.errors else ""
    return f"it {told.how}{raised}{where}" if told.how == "raised" else f"it ended: {told.how}{raised}{where}"


def _standing(left: Residue) -> str:
    named = "an open case names it" if left.named else "no open case names it"
    return f"{left.text} of step {left.number} still stands, and {named}"


def _left(finding: FindingPart) -> Iterator[str]:
    """What of the world is not as it should be, where no effect still stands."""
    completed = finding.claim == "completed"
    for row in finding.world_diff:
        if completed and row.differs:
            yield f"{_cell(row)} is {_value(row.after)}, without faults {_value(row.fault_free)}"
        elif not completed and row.changed:
            yield f"{_cell(row)} is {_value(row.after)}, was {_value(row.before)} at the start"


def _cell(row: WorldRow) -> str:
    return f"{row.system}.{row.table}[{row.key}]" + (f".{row.field}" if row.field else "")


def _value(value: object) -> str:
    if value is None:
        return "not there"
    return "there" if isinstance(value, dict) else show(value)
