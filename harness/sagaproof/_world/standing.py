"""Which effects still stand, and which of them a new call is meant to take back."""

from __future__ import annotations

from collections.abc import Iterable

from sagaproof._model.effect import Binding, Effect, Record
from sagaproof._model.operation import Operation

__all__ = ["Standing"]


class Standing:
    """The effects of a run, indexed so that an undo can be bound before it is applied."""

    __slots__ = ("_by_field", "_by_ref", "_undone", "effects")

    def __init__(self) -> None:
        self.effects: list[Effect] = []
        self._by_ref: dict[tuple[str, str, str | None], list[Effect]] = {}
        self._by_field: dict[tuple[str, str, str, str], list[Effect]] = {}
        self._undone: set[int] = set()

    def add(self, effect: Effect, operation: Operation) -> None:
        """Take a new effect in; if it undoes another one, that one stands no longer."""
        self.effects.append(effect)
        self._by_ref.setdefault((effect.system, effect.operation, effect.ref), []).append(effect)
        if operation.restores is not None:
            table, field = operation.restores
            for change in effect.changes:
                if change.table == table:
                    at = (effect.system, table, change.key, field)
                    self._by_field.setdefault(at, []).append(effect)
        if effect.undoes is not None:
            self._undone.add(effect.undoes)

    def bind(self, operation: Operation, args: Record) -> Binding | None:
        """What a call is meant to undo: an explicit reference wins, else the value it writes back."""
        if operation.undoes and operation.ref is not None:
            ref = args.get(operation.ref)
            found = self._by_reference(operation, None if ref is None else str(ref))
            return None if found is None else Binding(found.call, found.id)
        if operation.restores is not None and operation.ref is not None:
            written = self._by_value(operation, args)
            return None if written is None else Binding(written.call, written.id, certain=False)
        return None

    def of_call(self, call: int) -> Effect | None:
        """The latest effect of a logical call, if it has one."""
        return next((e for e in reversed(self.effects) if e.call == call), None)

    def _by_reference(self, operation: Operation, ref: str | None) -> Effect | None:
        candidates: list[Effect] = []
        for target in operation.undoes:
            candidates += self._by_ref.get((operation.system, target, ref), ())
        return self._latest(sorted(candidates, key=_id))

    def _by_value(self, operation: Operation, args: Record) -> Effect | None:
        assert operation.restores is not None
        table, field = operation.restores
        key = str(args.get(operation.ref or ""))
        wrote = self._by_field.get((operation.system, table, key, field), ())
        new = args.get(field)
        return next(
            (e for e in reversed(wrote) if e.id not in self._undone and _before(e, table, key, field) == new),
            None,
        )

    def _latest(self, effects: Iterable[Effect]) -> Effect | None:
        """The latest one not undone yet, else the latest: undoing twice must be seen as such."""
        last = None
        for effect in effects:
            if last is None or effect.id not in self._undone or last.id in self._undone:
                last = effect
        return last


def _id(effect: Effect) -> int:
    return effect.id


def _before(effect: Effect, table: str, key: str, field: str) -> object:
    for change in effect.changes:
        if change.table == table and change.key == key:
            return None if change.before is None else change.before.get(field)
    return None
