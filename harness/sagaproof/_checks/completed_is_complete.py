"""`completed-is-complete`: who says 'completed' has done all that the fault-free run does."""

from __future__ import annotations

from collections.abc import Hashable

from sagaproof._checks.answers import told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, intent_text
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.history import History

__all__ = ["CompletedIsComplete"]


class CompletedIsComplete:
    """Commit completeness (O2).

    If the saga claims *completed*, as its fault-free run does, then every effect of the fault-free run stands
    here too, whatever ids it got, and none has been taken back in part. The fault-free run itself must not
    have unwound. What is there too often is left to `applied-once`.
    """

    slug = "completed-is-complete"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever claim it."""
        return Claim.COMPLETED in facts.claims

    def judge(self, history: History) -> Verdict:
        """Judge the end of a run that claims to be completed."""
        twin = history.twin or history
        if history.claim is not Claim.COMPLETED or twin.claim is not Claim.COMPLETED:
            return NOT_REACHED
        if history.restarted and isinstance(history.script.after_restart, tuple):
            return NOT_REACHED  # the agent has decided otherwise
        if history.undo_calls and history.undone_by:
            verdict = _judge_undone(history, of_its_own=twin is history)
            if verdict is not None:
                return verdict
        if twin is history or history.is_like_twin:
            return HELD
        missing = twin.net - history.net
        return _lacks(history, twin, next(iter(missing))) if missing else HELD


def _judge_undone(history: History, *, of_its_own: bool) -> Verdict | None:
    """A step that was taken back in part (or, in a run without a fault, at all) is not complete."""
    for call in history.undo_calls:
        for undo in call.effects:
            if undo.undoes is None:
                continue
            target = history.effects[undo.undoes]
            whole = history.is_undone(target)
            if of_its_own or not whole:
                part = "" if whole else " in part"
                return violated(
                    f"said 'completed', but {effect_text(target)} was taken back{part}",
                    because=f"{asked_for(call)} took it back",
                    calls=[target.call, call.index],
                )
    return None


def _lacks(history: History, twin: History, meaning: Hashable) -> Verdict:
    wanted = next(e for e in twin.standing if twin.meaning(e) == meaning)
    name = intent_text(wanted, twin)
    for effect in history.effects:
        if effect.undoes is None and history.meaning(effect) == meaning and history.is_undone(effect):
            undo = history.calls[history.undone_by[effect.id][0].call]
            return violated(
                f"said 'completed', but {effect_text(effect)} was taken back",
                because=f"{asked_for(undo)} took it back",
                calls=[effect.call, undo.index],
            )
    tried = [c for c in history.calls if c.operation.full == wanted.full and not c.effects]
    if not tried:
        return _another_instead(history, twin, wanted, name)
    call = next((c for c in tried if c.first.args == wanted.args), tried[0])
    return violated(
        f"said 'completed', but {name} never happened",
        because=f"{asked_for(call)} ended with {told_text(call.last_told)} and nothing applied it",
        calls=[call.index],
    )


def _another_instead(history: History, twin: History, wanted: Effect, name: str) -> Verdict:
    """No call for it has failed: one had another effect than the fault-free run, or there was none at all."""
    claim = f"said 'completed', but {name} never happened"
    for effect in history.standing:
        if effect.full == wanted.full and history.meaning(effect) not in twin.net:
            because = f"{asked_for(history.calls[effect.call])} did {effect_text(effect)} in its place"
            return violated(claim, because=because, calls=[effect.call])
    return violated(claim, because=f"{wanted.full} was not called for it")
