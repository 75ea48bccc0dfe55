"""`one-runner`: whoever lost its saga to another process has no effects any more."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied, Called, Noted, Paused, Woke
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass

__all__ = ["OneRunner"]

_PAUSES = frozenset(name for name, fault in FAULTS.items() if fault.pauses)


class OneRunner:
    """One saga has one runner (O25).

    A process that stood still while another one took its saga up and brought it to an end has to notice that
    when it wakes: no effect of class 2 to 5 comes from it any more. A lease alone is not enough, for it has
    run out unnoticed; each write needs to say under which epoch it is made (Kleppmann, "How to do distributed
    locking", 2016). Reached when a process woke whose successor had called or written anything.
    """

    slug = "one-runner"

    def applies(self, facts: Facts) -> bool:
        """Applies where processes are made to stand still, and there is something to do twice."""
        return bool(facts.faults & _PAUSES) and any(c >= EffectClass.CONVERGENT for c in facts.classes)

    def judge(self, history: History) -> Verdict:
        """Judge the effects of each process after it woke."""
        slept: dict[int, tuple[int, Paused]] = {}
        superseded: set[int] = set()
        stale: set[int] = set()
        for position, event in enumerate(history.events):
            if isinstance(event, Paused):
                slept[event.restart] = (position, event)
            elif isinstance(event, Woke):
                if _was_taken_up(history, slept[event.restart][0], position):
                    superseded.add(event.restart)
            elif isinstance(event, Called):
                (stale.add if event.point.restart in superseded else stale.discard)(event.call)
            elif isinstance(event, Applied) and event.effect.call in stale and _counts(history, event):
                return _two(history, event.effect, slept)
        return HELD if superseded else NOT_REACHED


def _was_taken_up(history: History, since: int, until: int) -> bool:
    """Whether another process did anything for the saga in between."""
    return any(isinstance(event, Called | Noted) for event in history.events[since:until])


def _counts(history: History, applied: Applied) -> bool:
    effect = applied.effect
    return (
        effect.cls >= EffectClass.CONVERGENT
        and not applied.late
        and not effect.environment
        and not history.calls[effect.call].operation.escalates
        and not history.is_hollow(effect)
    )


def _two(history: History, effect: Effect, slept: dict[int, tuple[int, Paused]]) -> Verdict:
    call = history.calls[effect.call]
    point = next(reversed(slept.values()))[1].point
    return violated(
        f"a process did {effect_text(effect)} after another one had taken its saga up",
        because=f"{asked_for(call)} was called by a process that had stood still at {point} for an hour "
        "and did not notice that it had lost the saga",
        calls=[call.index],
    )
