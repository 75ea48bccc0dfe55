"""Somebody else who writes while the saga is under way, and whose write outlives the unwind."""

from __future__ import annotations

from sagaproof._checks.protocol import Facts
from sagaproof._model.diff import changed_fields
from sagaproof._model.effect import Record
from sagaproof._model.event import Applied, Wrote
from sagaproof._model.history import History
from sagaproof._sometimes.kinds import OTHER_WRITERS, has_met
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["BYSTANDER"]


def _wrote(history: History) -> bool:
    return has_met(history, OTHER_WRITERS) and bool(history.index.outside)


def _unwound(history: History) -> bool:
    last = history.undo_calls[-1].started if history.undo_calls else -1
    return any(at < last for at, _ in history.index.outside)


def _was_kept(history: History) -> bool:
    last = history.undo_calls[-1].started
    return any(_stands(history, at, wrote) for at, wrote in history.index.outside if at < last)


def _stands(history: History, at: int, wrote: Wrote) -> bool:
    """Whether the fields that were written have that value at the end; a whole row, whether it is there."""
    change = wrote.change
    now = change.after
    for event in history.events[at + 1 :]:
        now = _then(event, wrote, now)
    fields = changed_fields(history.tables[wrote.system, change.table], change)
    if "" in fields or now is None or change.after is None:
        return bool(fields) and (now is None) == (change.after is None)
    return bool(fields) and all(now.get(name) == change.after.get(name) for name in fields)


def _then(event: object, wrote: Wrote, row: Record | None) -> Record | None:
    """The row after an event."""
    if isinstance(event, Applied):
        system, changes = event.effect.system, event.effect.changes
    elif isinstance(event, Wrote):
        system, changes = event.system, (event.change,)
    else:
        return row
    if system == wrote.system:
        for change in changes:
            if (change.table, change.key) == (wrote.change.table, wrote.change.key):
                row = change.after
    return row


def _is_not_alone(facts: Facts) -> bool:
    return bool(facts.undos) and not OTHER_WRITERS.isdisjoint(facts.faults)


BYSTANDER = (
    Sometimes(
        "other-write-preserved",
        (
            ("somebody else wrote to what the saga had touched", _wrote),
            ("the saga undid something after that", _unwound),
            ("and what was written stands", _was_kept),
        ),
        _is_not_alone,
        faults_needed=2,
    ),
)
