"""`own-effects-only`: an undo takes back what this saga did, and nothing of anybody else's."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.diff import is_gone
from sagaproof._model.effect import Change, Effect
from sagaproof._model.history import History

__all__ = ["OwnEffectsOnly"]

_Row = tuple[str, str, str]


class OwnEffectsOnly:
    """No reaching over (O15).

    What an operation that takes something back is applied to was made or changed before by a call of this
    saga; and no undo takes away a row that this saga never touched. What the service writes beside that into
    rows of others (a balance, a counter) is its own affair. An operation that the fault-free run uses in the
    same way, as a step of its own, is no undo there. Reached when an undo was applied.
    """

    slug = "own-effects-only"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever undo anything."""
        return bool(facts.undone)

    def judge(self, history: History) -> Verdict:
        """Judge each effect that takes something back, against the rows written so far."""
        if not any(_takes_back(history, effect) for effect in history.effects):
            return NOT_REACHED
        own: set[_Row] = set()
        usual = _usual(history)
        for effect in history.effects:
            if _takes_back(history, effect) and not effect.environment and effect.full not in usual:
                taken = next(_taken_from_others(history, effect, own), None)
                if taken is not None:
                    return _reached_over(history, effect, taken)
            own.update((effect.system, change.table, change.key) for change in effect.changes)
        return HELD


def _takes_back(history: History, effect: Effect) -> bool:
    return effect.undoes is not None or bool(history.operations[effect.full].undoes)


def _usual(history: History) -> frozenset[str]:
    """The operations that the fault-free run applies to what it has not done itself: a step, no undo."""
    twin = history.twin or history
    return frozenset(e.full for e in twin.effects if e.undoes is None and twin.operations[e.full].undoes)


def _taken_from_others(history: History, effect: Effect, own: set[_Row]) -> Iterator[Change]:
    """The rows of others that it was meant for, or that it took away."""
    others = [c for c in effect.changes if c.before is not None and _at(effect, c) not in own]
    if effect.undoes is None:
        yield from (c for c in others if c.key == effect.ref or len(others) == len(effect.changes))
    for change in others:
        info = history.tables[effect.system, change.table]
        if is_gone(info, change.after) and not is_gone(info, change.before):
            yield change


def _at(effect: Effect, change: Change) -> _Row:
    return (effect.system, change.table, change.key)


def _reached_over(history: History, effect: Effect, taken: Change) -> Verdict:
    call = history.calls[effect.call]
    return violated(
        f"{effect_text(effect)} took back what is not its own: {effect.system}.{taken.table}[{taken.key}]",
        because=f"{asked_for(call)} was applied to it, and no call before that had touched it",
        calls=[call.index],
    )
