"""What a campaign has seen of the saga under test: decides which checks apply to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sagaproof._checks.protocol import Facts
from sagaproof._model.event import Noted
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase

__all__ = ["FactBook"]


class FactBook:
    """Gathers `Facts` over the histories of a campaign."""

    def __init__(self) -> None:
        self._called: set[str] = set()
        self._undos: set[str] = set()
        self._classes: set[int] = set()
        self._claims: set[str] = set()
        self._faults: set[str] = set()
        self._undone: set[str] = set()
        self._undone_by_key = False
        self._in_order: set[tuple[str, str]] = set()
        self._past_pivot = self._steps = self._durable = False
        self._escalates = self._amounts = self._keys = self._retried = False

    def add(self, history: History) -> None:
        """Take in one history."""
        if history.claim is not None:
            self._claims.add(history.claim.value)
        self._faults.update(injection.fault for injection in history.plan)
        for call in history.calls:
            self._called.add(call.operation.full)
            if call.phase is not Phase.UNDO and not history.plan:
                self._classes.add(int(call.operation.cls))
            self._escalates = self._escalates or call.operation.escalates
            self._amounts = self._amounts or any(effect.amount is not None for effect in call.effects)
            self._keys = self._keys or call.first.key is not None
            self._retried = self._retried or len(call.arrivals) > 1

        if not history.plan:
            self._in_order.update(_in_order(history))
            self._past_pivot = self._past_pivot or _writes_past_pivot(history)
            self._steps = self._steps or not history.script.opaque
            self._durable = self._durable or any(event.__class__ is Noted for event in history.events)
        self._undos.update(call.operation.full for call in history.undo_calls)
        for target, undos in history.undos_of.items():
            if history.calls[target].operation.cls is not EffectClass.IRREVERSIBLE:
                self._undone.add(history.calls[target].operation.full)
            by_key = any(undo.ok and "by_key" in undo.first.args for undo in undos)
            self._undone_by_key = self._undone_by_key or by_key

    def join(self, later: FactBook) -> None:
        """Take in what was gathered elsewhere."""
        for name, more in vars(later).items():
            known = getattr(self, name)
            setattr(self, name, known | more)

    def facts(self) -> Facts:
        """What has been seen so far."""
        return Facts(
            frozenset(self._called),
            frozenset(self._undos),
            frozenset(self._classes),
            frozenset(self._claims),
            frozenset(self._faults),
            escalates=self._escalates,
            amounts=self._amounts,
            keys=self._keys,
            retried=self._retried,
            undone=frozenset(self._undone),
            undone_by_key=self._undone_by_key,
            undone_in_order=any(pair <= self._undone for pair in map(set, self._in_order)),
            past_pivot=self._past_pivot,
            steps=self._steps,
            durable=self._durable,
        )


def _writes_past_pivot(history: History) -> bool:
    """Whether a forward write was begun after an irreversible call; a call for help is none."""
    forward = [c for c in history.calls if c.phase is Phase.FORWARD and c.operation.writes]
    pivot = next((c for c in forward if c.operation.cls is EffectClass.IRREVERSIBLE), None)
    return pivot is not None and any(call.started > pivot.started for call in forward)


def _is_undone_in_time(call: Call) -> bool:
    return call.operation.writes and call.operation.cls is not EffectClass.IRREVERSIBLE


def _in_order(history: History) -> Iterator[tuple[str, str]]:
    """The pairs of different steps of which the second was begun after the first had been answered.

    An irreversible one is none of them: it can be shut out, but once it is there nothing undoes it.
    """
    steps = [c for c in history.calls if c.phase is Phase.FORWARD and _is_undone_in_time(c) and c.ok]
    for one, other in combinations(steps, 2):
        if one.answered < other.started and one.operation is not other.operation:
            yield one.operation.full, other.operation.full
