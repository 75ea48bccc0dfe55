"""`nothing-forgotten`: what a process did before it died is accounted for by those after it."""

from __future__ import annotations

from sagaproof._checks.answers import is_poor
from sagaproof._checks.cancelled import is_cancelled_when_done
from sagaproof._checks.crash import CRASHES, came_back, deaths, is_wanted, last_note, steps_forward
from sagaproof._checks.doubt import found_at
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied, Died, Restarted
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass

__all__ = ["NothingForgotten"]


class NothingForgotten:
    """Progress across crashes (O24).

    Each effect of class 3 to 5 that a process asked for and then died, also one that lands after that, is in
    the end part of a saga that claims *completed*, taken back, or named in an open case. It is part of a
    completed saga if the fault-free run leaves it too and the agent has not decided otherwise since; else a
    later process must have come back to it, or its success had been written down. Reached when a process died
    after such a call.
    """

    slug = "nothing-forgotten"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that can be restarted and do what has to be undone."""
        return bool(facts.faults & CRASHES) and any(c >= EffectClass.REVERSIBLE for c in facts.classes)

    def judge(self, history: History) -> Verdict:
        """Judge what the dead left behind."""
        if not history.restarted or history.claim is None or history.asserted:
            return NOT_REACHED
        if is_cancelled_when_done(history):
            return HELD
        dead = deaths(history)
        reached = False
        for call in steps_forward(history):
            death = next((at for at in dead if at > call.started), None)
            if death is None:
                continue
            reached = True
            for effect in _left_by(history, call, death):
                if not _is_accounted_for(history, effect, death):
                    return _forgotten(history, effect, death)
        return HELD if reached else NOT_REACHED


def _left_by(history: History, call: Call, death: int) -> list[Effect]:
    """What stands of a call of the dead: done before, or late. The rest is of those who made it again."""
    late = {event.effect.id for event in history.of(Applied) if event.late} if call.effects else set()
    return [
        effect
        for effect in call.effects
        if (history.applied_at[effect.id] < death or effect.id in late) and effect in history.residue
    ]


def _is_accounted_for(history: History, effect: Effect, death: int) -> bool:
    if history.is_named(effect):
        return True
    if history.claim is not Claim.COMPLETED:
        return False
    call = history.calls[effect.call]
    learnt = call.answered if call.ok else max(_poorly_answered(call), found_at(history, call))
    if 0 <= learnt < last_note(history, _restart_after(history, death)):
        return True
    return is_wanted(history, effect) or came_back(history, call, death, by_agent=True)


def _restart_after(history: History, death: int) -> int:
    """Where the next process begins: what other threads of the dead one had under way lands before that."""
    later = enumerate(history.events[death:], start=death)
    return next((at for at, event in later if isinstance(event, Restarted)), death)


def _poorly_answered(call: Call) -> int:
    """The position of an answer that told of a success and lacked something; -1 if there was none."""
    poor = (one.told_position for one in call.arrivals if one.told is not None and is_poor(one.told))
    return next(poor, -1)


def _forgotten(history: History, effect: Effect, death: int) -> Verdict:
    died = history.events[death]
    assert isinstance(died, Died)
    call = history.calls[effect.call]
    undos = history.undos_of.get(call.index, [])
    return violated(
        f"{said(history)}, but {effect_text(effect)}, which a process that died had asked for, stands, "
        "and no open case names it",
        because=f"{asked_for(call)} {_state(call, undos, death)} when the process died at {died.point}, "
        f"and {_what_came_of_it(history, call, death)}",
        calls=[call.index, *(undo.index for undo in undos)],
    )


def _state(call: Call, undos: list[Call], death: int) -> str:
    if any(undo.started < death for undo in undos):
        return "was being undone"
    return "had been answered" if 0 <= call.answered < death else "was under way"


def _what_came_of_it(history: History, call: Call, death: int) -> str:
    if came_back(history, call, death, by_agent=True):
        return "those after it left it so"
    return "no later one came back to it"
