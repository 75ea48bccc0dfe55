"""`same-as-twin`: a saga that got over its faults leaves the rows as the fault-free run does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from sagaproof._checks.final_rows import FinalRow, final_rows
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for
from sagaproof._model.claim import Claim
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass

__all__ = ["SameAsTwin"]


class SameAsTwin:
    """Twin equality (O7), of the state and not of the deeds.

    If a saga claims *completed* under faults, and just the effects of its fault-free run stand, then the rows
    that either run has written are the same in the end: an old value that lands after a newer one, or a
    counter that went up twice, leaves the right list of effects and the wrong world. Ids, versions and times
    may differ, and rows that other writers wrote to. Effects that are missing or too many are left to
    `completed-is-complete` and `applied-once`. Reached by such a run.
    """

    slug = "same-as-twin"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: not every saga gets over a fault."""
        return False

    def judge(self, history: History) -> Verdict:
        """Judge the rows at the end of a run that got over its faults."""
        twin = history.twin
        if twin is None or twin is history or not history.plan or not _is_comparable(history, twin):
            return NOT_REACHED
        ours, theirs = final_rows(history), final_rows(twin)
        more, fewer = _without(ours, theirs), _without(theirs, ours)
        if not more and not fewer:
            return HELD
        return _differs(history, more, fewer)


def _is_comparable(history: History, twin: History) -> bool:
    """Whether both completed, and with the same effects: no more, no fewer, and none taken back in part."""
    if history.claim is not Claim.COMPLETED or twin.claim is not Claim.COMPLETED:
        return False
    if history.index.outside or any(effect.environment for effect in history.effects):
        return False
    in_part = any(not history.is_undone(history.effects[target]) for target in history.undone_by)
    if in_part or twin.net - history.net:
        return False
    return _lasting(history) == _lasting(twin)


def _lasting(history: History) -> Counter[Hashable]:
    return Counter(
        history.meaning(effect)
        for effect in history.standing
        if effect.cls >= EffectClass.REVERSIBLE and not history.is_hollow(effect)
    )


def _without(rows: list[FinalRow], others: list[FinalRow]) -> list[FinalRow]:
    """The rows that are not among the others as well, each of them counted once."""
    known = Counter(row.meaning for row in others)
    left = []
    for row in rows:
        if known[row.meaning]:
            known[row.meaning] -= 1
        else:
            left.append(row)
    return left


def _differs(history: History, more: list[FinalRow], fewer: list[FinalRow]) -> Verdict:
    """Name the first row that is not as it should be, beside the one that should be there."""
    if not more:
        return violated(
            f"said 'completed', but {_name(fewer[0])} is not as without faults: nothing changed it"
        )
    row = more[0]
    wanted = next((other for other in fewer if other[:2] == row[:2]), None)
    call = history.calls[history.effects[row.effect].call]
    return violated(
        f"said 'completed', but {_name(row)}{_how(row, wanted)}",
        because=f"{asked_for(call)} was the last to write it",
        calls=[call.index],
    )


def _name(row: FinalRow) -> str:
    return f"{row.system}.{row.table}[{row.key}]"


def _how(row: FinalRow, wanted: FinalRow | None) -> str:
    """In which field a row differs from the one of the fault-free run."""
    if row.fields is None:
        return " is gone, and is there without faults"
    if wanted is None or wanted.fields is None:
        return " is not as without faults: there nothing changes it"
    fields = sorted(row.fields.keys() | wanted.fields.keys())
    field = next((f for f in fields if row.fields.get(f) != wanted.fields.get(f)), fields[0])
    return f".{field} is {row.fields.get(field)!r}, and {wanted.fields.get(field)!r} without faults"
