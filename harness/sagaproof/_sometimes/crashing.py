"""A process that dies where it hurts: before it could write down what it did, in an undo, in its recovery."""

from __future__ import annotations

from sagaproof._checks.crash import CRASHES, deaths
from sagaproof._checks.protocol import Facts
from sagaproof._model.event import Applied, Asked, Died, Noted, Restarted
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["CRASHING"]


def _died(history: History) -> bool:
    return history.index.restarts > 0


def _died_unwinding(history: History) -> bool:
    return history.unwind_began >= 0 and any(death > history.unwind_began for death in deaths(history))


def _died_at_an_undo(history: History) -> bool:
    at = {event.point for event in history.events if isinstance(event, Died)}
    return any(
        arrival.called.point in at
        for call in history.calls
        if call.phase is Phase.UNDO
        for arrival in call.arrivals
    )


def _died_after_an_effect(history: History) -> bool:
    """Whether a process had made an effect that is to be undone before it died."""
    made = False
    for event in history.events:
        if isinstance(event, Applied):
            made = made or (event.effect.cls >= EffectClass.REVERSIBLE and not event.late)
        elif isinstance(event, Restarted):
            made = False
        elif isinstance(event, Died) and made:
            return True
    return False


def _died_before_its_note(history: History) -> bool:
    """The same, with nothing kept in a store between the effect and the death."""
    made = False
    for event in history.events:
        if isinstance(event, Applied):
            made = made or (event.effect.cls >= EffectClass.REVERSIBLE and not event.late)
        elif isinstance(event, Restarted) or (isinstance(event, Noted) and event.kept):
            made = False
        elif isinstance(event, Died) and made:
            return True
    return False


def _died_again(history: History) -> bool:
    return history.index.restarts > 1


def _died_recovering(history: History) -> bool:
    """Whether a new process died before its agent, if it has one, had asked it for anything."""
    recovering = False
    for event in history.events:
        if isinstance(event, Restarted):
            recovering = not event.at_rest
        elif isinstance(event, Asked):
            recovering = False
        elif isinstance(event, Died) and recovering:
            return True
    return False


def _is_killed(facts: Facts) -> bool:
    return not CRASHES.isdisjoint(facts.faults)


def _is_killed_undoing(facts: Facts) -> bool:
    return bool(facts.undos) and _is_killed(facts)


def _is_killed_writing(facts: Facts) -> bool:
    return facts.durable and _is_killed(facts) and any(c >= EffectClass.REVERSIBLE for c in facts.classes)


CRASHING = (
    Sometimes(
        "crash-between-effect-and-journal",
        (
            ("the process died", _died),
            ("after it had made an effect", _died_after_an_effect),
            ("of which nothing had been written down yet", _died_before_its_note),
        ),
        _is_killed_writing,
    ),
    Sometimes(
        "crash-inside-undo",
        (
            ("the process died", _died),
            ("after the unwind had begun", _died_unwinding),
            ("at a call that undoes", _died_at_an_undo),
        ),
        _is_killed_undoing,
        faults_needed=2,
    ),
    Sometimes(
        "crash-during-recovery",
        (
            ("the process died", _died),
            ("and so did one that came after it", _died_again),
            ("while it recovered", _died_recovering),
        ),
        _is_killed,
        faults_needed=2,
    ),
)
