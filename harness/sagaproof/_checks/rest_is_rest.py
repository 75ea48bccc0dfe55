"""`rest-is-rest`: after the saga has ended, nothing changes behind its back."""

from __future__ import annotations

from typing import Final

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied, Called, Landed, Notified
from sagaproof._model.history import Call, History

__all__ = ["RestIsRest"]

_WAKES: Final = frozenset({"late-end", "event-late"})
_STIRS: Final = frozenset({Called, Landed, Applied, Notified})


class RestIsRest:
    """Terminal stability (O6).

    What lands after the end, or is done because an event comes after it, is refused or absorbed; or it is
    named in an open case; or it is just what a saga that said *completed* still lacked. Reached when anything
    arrived after the end.
    """

    slug = "rest-is-rest"

    def applies(self, facts: Facts) -> bool:
        """Applies where something was ever held back until after the end, an effect or an event."""
        return bool(_WAKES & facts.faults)

    def judge(self, history: History) -> Verdict:
        """Judge what came after the end."""
        reached, came = False, ""
        for event in history.events[history.ended_at + 1 :]:
            reached = reached or event.__class__ in _STIRS
            if isinstance(event, Notified):
                came = f"{event.point._replace(restart=0)}, {event.type}"
            if isinstance(event, Applied) and _disturbs(history, event.effect):
                call = history.calls[event.effect.call]
                return violated(
                    f"{said(history)}, and after that {effect_text(event.effect)} came about",
                    because=_why(history, call, came),
                    calls=[call.index],
                )
        return HELD if reached else NOT_REACHED


def _why(history: History, call: Call, came: str) -> str:
    if call.started < history.ended_at:
        return f"{asked_for(call)}, not answered in time, landed after the end unhindered"
    return f"{asked_for(call)} was made after the end" + (f", when {came} came" if came else "")


def _brought_back(history: History, effect: Effect) -> Effect:
    """What stands again where an undo is undone: so it looks if a value is set anew that was put back."""
    undone = None if effect.undoes is None else history.effects[effect.undoes]
    if undone is None or undone.undoes is None:
        return effect
    return history.effects[undone.undoes]


def _disturbs(history: History, effect: Effect) -> bool:
    effect = _brought_back(history, effect)
    if effect not in history.residue or history.is_named(effect):
        return False
    if history.claim is not Claim.COMPLETED or history.twin is None:
        return True
    meaning = history.meaning(effect)
    return history.net[meaning] > history.twin.net[meaning]
