"""`no-clobber`: an undo leaves standing what another writer has put there meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.claim import Claim
from sagaproof._model.diff import Difference, changed_fields
from sagaproof._model.effect import Change, Effect
from sagaproof._model.event import Applied, Wrote
from sagaproof._model.history import History

__all__ = ["NoClobber"]

_WHOLE_ROW: Final = ""


class NoClobber:
    """No lost update (O13).

    If another writer changes a row after the saga wrote to it, then no undo of that write puts another value
    over the one that the other writer put there, nor takes the row away or makes it anew, unless all is in
    the end as the other writer left it. A row that the saga itself made is its own to take away. Fields that
    the service keeps for itself (versions, times) do not count. Reached when another writer had come between
    a write and the end of a saga that did not complete.
    """

    slug = "no-clobber"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: not every saga writes to what others write to as well."""
        return False

    def judge(self, history: History) -> Verdict:
        """Judge each undo that came after somebody else's write."""
        if not history.index.outside or history.asserted:
            return NOT_REACHED
        foreign = list(_between(history))
        for wrote in foreign:
            for undo in _undos_since(history, wrote):
                if not _is_as_left(history, wrote) and _overwrites(wrote, undo):
                    return _clobbered(history, wrote, undo)
        return HELD if foreign and history.claim is not Claim.COMPLETED else NOT_REACHED


class _Foreign(NamedTuple):
    """One field as another writer left it, at a position of the history, after `since` had been applied."""

    position: int
    system: str
    table: str
    key: str
    field: str
    value: Any
    since: Effect


def _between(history: History) -> Iterator[_Foreign]:
    """What other writers wrote to rows that the saga had written to, but had not made."""
    for position, wrote in history.index.outside:
        change = wrote.change
        touching = list(_touching(history, wrote.system, change, position))
        if not touching or any(made.before is None for _, made in touching):
            continue
        since = touching[-1][0]
        for field in sorted(changed_fields(history.tables[wrote.system, change.table], change)):
            value = _value(change.after, field)
            yield _Foreign(position, wrote.system, change.table, change.key, field, value, since)


def _touching(history: History, system: str, change: Change, before: int) -> Iterator[tuple[Effect, Change]]:
    """The changes of the same row by calls on the way there that came before a position."""
    for effect in history.effects:
        if effect.undoes is None and effect.system == system and history.applied_at[effect.id] < before:
            for own in effect.changes:
                if (own.table, own.key) == (change.table, change.key):
                    yield effect, own


def _undos_since(history: History, wrote: _Foreign) -> Iterator[Effect]:
    """The undos that came after it of what had been done before it."""
    for effect in history.effects:
        target = effect.undoes
        if target is None or effect.system != wrote.system or effect.environment:
            continue
        if history.applied_at[target] < wrote.position < history.applied_at[effect.id]:
            yield effect


def _overwrites(wrote: _Foreign, undo: Effect) -> bool:
    return any(
        (change.table, change.key) == (wrote.table, wrote.key)
        and _value(change.before, wrote.field) == wrote.value
        and _value(change.after, wrote.field) != wrote.value
        for change in undo.changes
    )


def _value(row: Any, field: str) -> Any:
    """A field of a row; of the whole row only whether it is there."""
    if row is None:
        return None
    return True if field == _WHOLE_ROW else row.get(field)


def _is_as_left(history: History, wrote: _Foreign) -> bool:
    """Whether the field is in the end as the other writer, or a later one, left it."""
    by_another, after = True, None
    for event in history.events[wrote.position :]:
        changes: tuple[Change, ...] = ()
        if isinstance(event, Applied) and event.effect.system == wrote.system:
            changes = event.effect.changes
        elif isinstance(event, Wrote) and event.system == wrote.system:
            changes = (event.change,)
        for change in changes:
            if (change.table, change.key) == (wrote.table, wrote.key):
                by_another, after = isinstance(event, Wrote), change.after
    return by_another or _value(after, wrote.field) == wrote.value


def _clobbered(history: History, wrote: _Foreign, undo: Effect) -> Verdict:
    call = history.calls[undo.call]
    change = next(c for c in undo.changes if (c.table, c.key) == (wrote.table, wrote.key))
    lost = Difference(
        wrote.system,
        wrote.table,
        wrote.key,
        wrote.field,
        _value(change.before, wrote.field),
        _value(change.after, wrote.field),
        undo.id,
    )
    return violated(
        f"undid {effect_text(wrote.since)} over what another writer had put there since: {lost}",
        because=f"{asked_for(call)} was applied although the row had changed since the call it takes back",
        calls=[call.index, wrote.since.call],
    )
