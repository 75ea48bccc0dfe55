"""`undone-once`: an effect is taken back at most once in net."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied
from sagaproof._model.history import History

__all__ = ["UndoneOnce"]


class UndoneOnce:
    """At most one undo (O9).

    No effect is taken back by two effects, unless both are parts of its amount that together do not exceed
    it. What only a second delivery by the network did is left to `undo-twice-is-once`. Reached when an undo
    was applied.
    """

    slug = "undone-once"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever undo anything."""
        return bool(facts.undone)

    def judge(self, history: History) -> Verdict:
        """Judge each effect that was taken back."""
        if not history.undone_by:
            return NOT_REACHED
        for target, undos in history.undone_by.items():
            effect = history.effects[target]
            if len(undos) == 1 and (effect.amount is None or undos[0].amount is None):
                continue
            own = undos if len(undos) == 1 else _own(undos, history)
            verdict = _judge(effect, own, history) if own else None
            if verdict is not None:
                return verdict
        return HELD


def _own(undos: list[Effect], history: History) -> list[Effect]:
    """The undos that the saga itself asked for, that did anything, and that were not undone in their turn."""
    again = {e.effect.id for e in history.of(Applied) if e.again}
    return [u for u in undos if u.id not in again and not history.is_undone(u) and not history.is_hollow(u)]


def _judge(effect: Effect, undos: list[Effect], history: History) -> Verdict | None:
    amounts = [undo.amount for undo in undos if undo.amount is not None]
    calls = [history.calls[undo.call] for undo in undos]
    by = " and ".join(asked_for(call) for call in dict.fromkeys(calls))
    if effect.amount is not None and len(amounts) == len(undos):
        total = sum(amounts)
        if total <= effect.amount:
            return None
        claim = f"{effect_text(effect)} was taken back with {total}, {total - effect.amount} too much"
    elif len(undos) == 1:
        return None
    else:
        claim = (
            f"{effect_text(effect)} was taken back {'twice' if len(undos) == 2 else f'{len(undos)} times'}"
        )
    return violated(
        claim,
        because=f"{by} took it back",
        calls=[*dict.fromkeys(call.index for call in reversed(calls)), effect.call],
    )
