"""A history: the flat list of events of one run, and the views of it that checks and reports read.

Everything here is derived from the events; nothing is asked of the world any more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from sagaproof._model.cached import cached
from sagaproof._model.claim import Claim, Ending
from sagaproof._model.diff import Difference, changed_fields, differences
from sagaproof._model.effect import Effect
from sagaproof._model.event import Asked, Ended, Event
from sagaproof._model.index import Arrival, Call, Index
from sagaproof._model.operation import EffectClass, Operation, TableInfo
from sagaproof._model.plan import Injection, Plan
from sagaproof._model.point import Phase
from sagaproof._model.script import Script
from sagaproof._model.words import mentions, words_of

__all__ = ["Arrival", "Call", "History", "mask"]

_ID_MIN: Final = 3


class History:
    """What happened in one run of one script under one plan.

    `twin` is the fault-free history of the same script, or None for that history itself. `crash_state` is all
    that the last process to be started before the end came upon; None if there was none, or it is not known.
    `killed` says that its processes died of a signal, and not of an exception.
    """

    def __init__(
        self,
        script: Script,
        plan: Plan,
        events: list[Event],
        *,
        operations: Mapping[str, Operation],
        tables: Mapping[tuple[str, str], TableInfo],
        injected: Mapping[Injection, int],
        twin: History | None = None,
        crash_state: Hashable = None,
        killed: bool = False,
    ) -> None:
        self.script = script
        self.plan = plan
        self.events = events
        self.operations = operations
        self.tables = tables
        self.injected = injected
        self.twin = twin
        self.crash_state = crash_state
        self.killed = killed

    def bare(self) -> History:
        """This history without what was worked out from it, and without its twin: both can be had again."""
        return History(
            self.script,
            self.plan,
            self.events,
            operations=self.operations,
            tables=self.tables,
            injected=self.injected,
            crash_state=self.crash_state,
            killed=self.killed,
        )

    @cached
    def index(self) -> Index:
        """The events sorted out in one pass; most views begin here."""
        return Index(self.events, self.operations)

    @cached
    def calls(self) -> list[Call]:
        """Logical calls in the order of their first arrival."""
        return self.index.calls

    @cached
    def effects(self) -> list[Effect]:
        """All effects, by id."""
        return self.index.effects

    @cached
    def applied_at(self) -> list[int]:
        """The position in the history at which each effect was applied, by its id."""
        return self.index.applied_at

    @cached
    def asked_at(self) -> list[int]:
        """The positions at which an agent asked for anything."""
        return [at for at, event in enumerate(self.events) if isinstance(event, Asked)]

    @property
    def ended_at(self) -> int:
        """The position at which the saga ended; the length of the history if it did not."""
        return self.index.ended_at

    @cached
    def ending(self) -> Ending:
        """How the saga ended."""
        event = self.events[self.ended_at] if self.ended_at < len(self.events) else None
        return event.ending if isinstance(event, Ended) else Ending("hung", None)

    @property
    def claim(self) -> Claim | None:
        """What the saga said of itself."""
        return self.ending.claim

    @cached
    def moments(self) -> frozenset[str]:
        """The names of fields that never count as a difference, as in the answers of the systems."""
        return frozenset().union(*(info.volatile for info in self.tables.values()))

    @property
    def restarted(self) -> bool:
        """Whether the process died before the saga came to its end, so that another one had to go on."""
        return self.index.restarts > 0

    @property
    def smooth(self) -> bool:
        """Whether every arrival of every call was answered with success: a quick look."""
        return self.index.failed == 0

    @property
    def asserted(self) -> bool:
        """Whether it was the test body that ended the run, so that the saga itself has claimed nothing."""
        return self.ending.how == "failed-assertion"

    @cached
    def is_like_twin(self) -> bool:
        """Whether just the same stands as after the fault-free run, in the same order: a quick look."""
        ours, theirs = self.standing, (self.twin or self).standing
        return len(ours) == len(theirs) and all(
            a.operation == b.operation and a.args == b.args and a.system == b.system
            for a, b in zip(ours, theirs, strict=True)
        )

    @cached
    def undone_by(self) -> dict[int, list[Effect]]:
        """For each effect that something took back: the effects that did so."""
        found: dict[int, list[Effect]] = {}
        for effect in self.effects:
            if effect.undoes is not None:
                found.setdefault(effect.undoes, []).append(effect)
        return found

    def is_undone(self, effect: Effect) -> bool:
        """Whether an effect has been taken back, in full where amounts are known, and has not been redone."""
        undos = self.undone_by.get(effect.id)
        if not undos:
            return False
        undos = [undo for undo in undos if not self.is_undone(undo)]
        if not undos:
            return False
        amounts = [undo.amount for undo in undos if undo.amount is not None]
        if effect.amount is None or len(amounts) < len(undos):
            return True
        return sum(amounts) >= effect.amount

    @cached
    def standing(self) -> list[Effect]:
        """Forward effects that were not taken back; calls for help are not among them."""
        return [
            e
            for e in self.effects
            if e.undoes is None and not self.operations[e.full].escalates and not self.is_undone(e)
        ]

    @cached
    def residue(self) -> list[Effect]:
        """Standing effects that somebody would have to take back: class 3 to 5, not the environment's.

        One of class 3 or 4 whose every trace is gone again, by whatever means, is none: an invoice that was
        made, finalized and then voided by one call, a hold whose capture was refunded.
        """
        return [
            e
            for e in self.standing
            if e.cls >= EffectClass.REVERSIBLE
            and not e.environment
            and (e.cls is EffectClass.IRREVERSIBLE or self._left_a_trace(e))
        ]

    @cached
    def differences(self) -> list[Difference]:
        """Where the rows that this run touched are not as at its beginning; the environment's aside."""
        escalating = {name for name, op in self.operations.items() if op.escalates}
        found = differences(self.events, self.tables, escalating)
        excused = {(e.system, c.table, c.key) for e in self.effects if e.environment for c in e.changes}
        return [d for d in found if (d.system, d.table, d.key) not in excused] if excused else found

    @cached
    def _traces(self) -> dict[tuple[str, str, str], set[str]]:
        """The fields that are different at the end, by row."""
        traces: dict[tuple[str, str, str], set[str]] = {}
        for different in self.differences:
            at = (different.system, different.table, different.key)
            traces.setdefault(at, set()).add(different.field)
        return traces

    def _left_a_trace(self, effect: Effect) -> bool:
        for change in effect.changes:
            left = self._traces.get((effect.system, change.table, change.key))
            if left is None:
                continue
            changed = changed_fields(self.tables[effect.system, change.table], change)
            if changed and ("" in left or "" in changed or not left.isdisjoint(changed)):
                return True
        return False

    def is_hollow(self, effect: Effect) -> bool:
        """Whether an effect changed nothing that counts: a value set to what it was, with a new version."""
        return not any(changed_fields(self.tables[effect.system, c.table], c) for c in effect.changes)

    @cached
    def cases(self) -> list[Effect]:
        """What a person was told: the effects of operations that escalate."""
        return [e for e in self.effects if self.operations[e.full].escalates]

    @cached
    def told_words(self) -> frozenset[str]:
        """Every word of every case."""
        texts = ((case.args, *(c.after for c in case.changes)) for case in self.cases)
        return frozenset().union(*map(words_of, texts))

    def is_named(self, effect: Effect) -> bool:
        """Whether an open case names an effect: by its object, its key, or, if unknown, its operation."""
        if not self.cases:
            return False
        words = self.told_words
        if mentions(words, effect.ref) or mentions(words, effect.key):
            return True
        learnt = self.calls[effect.call].ok
        return not learnt and (mentions(words, effect.operation) or mentions(words, effect.full))

    @cached
    def routine(self) -> frozenset[str]:
        """The undo operations that belong to the ordinary way: a hold that is released after use.

        They are those that the fault-free run calls although nothing fails in it and it is not given up.
        """
        twin = self.twin or self
        if twin.claim is not Claim.COMPLETED or twin.script.give_up_after is not None:
            return frozenset()
        names = frozenset(call.operation.full for call in twin.calls if call.phase is Phase.UNDO)
        failed = any(call.phase is Phase.FORWARD and not call.ok for call in twin.calls) if names else False
        return frozenset() if failed else names

    @cached
    def undo_calls(self) -> list[Call]:
        """The calls that were meant to undo something, in the order of their first arrival.

        Routine is left out, and so is what takes back an undo, for that is going forward again.
        """
        found = [call for call in self.calls if call.arrivals[0].called.phase is Phase.UNDO]
        if not found:
            return found
        return [c for c in found if c.operation.full not in self.routine and not self._redoes(c)]

    def _redoes(self, call: Call) -> bool:
        """Whether a call takes back an undo (or the undo of an undo of an undo)."""
        redoes = False
        target = None if call.undoes is None else call.undoes.effect
        while target is not None:
            target = self.effects[target].undoes
            redoes = not redoes if target is not None else redoes
        return redoes

    def is_usual_twice(self, call: Call) -> bool:
        """Whether the fault-free run asks for the very same more than once, and no oftener here.

        Then nobody can tell from outside whether an arrival is another attempt or another intent.
        """
        if self.twin is None or self.twin is self:
            return False
        usual = _alike(self.twin, call)
        return usual > 1 and len([e for c in self.calls if _is_like(c, call) for e in c.effects]) <= usual

    @cached
    def undos_of(self) -> dict[int, list[Call]]:
        """For each logical call that something was meant to take back: the calls that were meant to."""
        found: dict[int, list[Call]] = {}
        for call in self.undo_calls:
            if call.undoes is not None and call.undoes.call is not None:
                found.setdefault(call.undoes.call, []).append(call)
        return found

    @property
    def unwind_began(self) -> int:
        """The position of the first call that was meant to undo something; -1 if there was none."""
        return self.undo_calls[0].started if self.undo_calls else -1

    @cached
    def net(self) -> Counter[Hashable]:
        """The standing effects as a bag of meanings, with ids of this run masked."""
        return Counter(self.meaning(effect) for effect in self.standing)

    def meaning(self, effect: Effect) -> Hashable:
        """What an effect means, whatever ids it got: its operation and masked arguments."""
        return (effect.full, mask(effect.args, self.created))

    @cached
    def created(self) -> frozenset[str]:
        """The ids of the rows that this run made."""
        return frozenset([c.key for e in self.effects for c in e.changes if c.before is None])

    def of(self, kind: type[Event]) -> Iterator[Any]:
        """The events of one kind."""
        return (event for event in self.events if event.__class__ is kind)


def _is_like(one: Call, other: Call) -> bool:
    return one.operation.full == other.operation.full and one.first.args == other.first.args


def _alike(history: History, call: Call) -> int:
    return sum(_is_like(other, call) for other in history.calls)


def _masked_text(text: str, created: frozenset[str]) -> str:
    found = _any_of(created) if created else None
    return text if found is None else found.sub("*", text)


@lru_cache(maxsize=16)
def _any_of(created: frozenset[str]) -> re.Pattern[str] | None:
    names = sorted((name for name in created if len(name) >= _ID_MIN), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)") if names else None


def mask(value: object, created: frozenset[str]) -> Hashable:
    """A value with the ids that this run made blanked out, in a form that can be compared and hashed.

    So are ids within longer texts (a link, a sentence), unless they are shorter than three characters.
    """
    if isinstance(value, str):
        return "*" if value in created else _masked_text(value, created)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return tuple(sorted((str(k), mask(v, created)) for k, v in value.items()))
    if isinstance(value, list | tuple):
        return tuple(mask(v, created) for v in value)
    return value if callable(getattr(value, "__hash__", None)) else repr(value)
