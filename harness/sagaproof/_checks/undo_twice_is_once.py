"""`undo-twice-is-once`: an undo that is invoked again after it succeeded changes nothing."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.event import Applied
from sagaproof._model.history import History
from sagaproof._model.point import Phase

__all__ = ["UndoTwiceIsOnce"]


class UndoTwiceIsOnce:
    """An undo can be repeated.

    If an undo that has succeeded is delivered once more, the second delivery leaves no effect: it is answered
    from memory, refused, or finds nothing to do. Reached when the fault `again` met an undo that succeeded.
    """

    slug = "undo-twice-is-once"

    def applies(self, facts: Facts) -> bool:
        """Applies where an undo was ever delivered again."""
        return bool(facts.undos) and "again" in facts.faults

    def judge(self, history: History) -> Verdict:
        """Judge the second deliveries."""
        if not any(injection.fault == "again" for injection in history.plan):
            return NOT_REACHED
        tested = {
            call.index
            for call in history.calls
            if call.phase is Phase.UNDO
            for arrival in call.arrivals
            if arrival.called.fault == "again" and arrival.told is not None and arrival.told.ok
        }
        if not tested:
            return NOT_REACHED
        for event in history.of(Applied):
            effect = event.effect
            if event.again and effect.call in tested and not history.is_hollow(effect):
                target = "" if effect.undoes is None else f" of {effect_text(history.effects[effect.undoes])}"
                call = history.calls[effect.call]
                return violated(
                    f"the undo{target} was invoked twice and took effect twice",
                    because=f"the second delivery of {asked_for(call)} left {effect_text(effect)}",
                    calls=[call.index],
                )
        return HELD
