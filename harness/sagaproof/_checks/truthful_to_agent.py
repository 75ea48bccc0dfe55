"""`truthful-to-agent`: what the agent is told of each of its calls is so."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.agent_steps import Step, Telling, steps_of
from sagaproof._checks.answers import told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass

__all__ = ["TruthfulToAgent"]


class TruthfulToAgent:
    """Truthful status (O5), call by call.

    Who tells the agent *ok* for a step that writes has had a success from the service, or has had the effect
    come about. Who tells it *failed* has no effect of class 3 to 5 of that step standing, and none lands
    later and stays. *Unknown* may always be told. After a restart the calls that an earlier process made for
    the step belong to it. Calls of steps that overlap are told apart by the call id in their key, else left
    out. Reached when an agent was told *ok* or *failed* of a step that writes.
    """

    slug = "truthful-to-agent"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that an agent feeds and that do what has to be undone."""
        return facts.steps and any(c >= EffectClass.REVERSIBLE for c in facts.classes)

    def judge(self, history: History) -> Verdict:
        """Judge each answer to the agent."""
        if history.script.opaque:
            return NOT_REACHED
        reached = False
        for step in steps_of(history):
            for told in step.tellings:
                calls = [call for call in step.calls if call.started < told.until]
                if not calls or told.outcome not in {"ok", "failed"}:
                    continue
                reached = True
                verdict = _judge(history, step, told, calls)
                if verdict is not None:
                    return verdict
        return HELD if reached else NOT_REACHED


def _judge(history: History, step: Step, told: Telling, calls: list[Call]) -> Verdict | None:
    if told.outcome == "ok":
        return None if _is_done(history, calls, told.until) else _not_done(step, calls)
    for effect in _effects(history, step, calls):
        if history.applied_at[effect.id] < told.until:
            if not _is_undone_by(history, effect, told.until):
                return _done_after_all(history, step, effect, "stood")
        elif _lands_later(history, effect, step, told):
            return _done_after_all(history, step, effect, "came about later")
    return None


# Told 'ok' --------------------------------------------------------------------------------------------------


def _is_done(history: History, calls: list[Call], at: int) -> bool:
    """Whether any of these writes had come about: acknowledged, applied, or done before in other words."""
    for call in calls:
        if 0 <= call.answered < at or any(history.applied_at[effect.id] < at for effect in call.effects):
            return True
    asked = [(call.operation.full, call.first.args) for call in calls]
    before = (effect for effect in history.effects if history.applied_at[effect.id] < at)
    return any((effect.full, effect.args) in asked for effect in before)


def _not_done(step: Step, calls: list[Call]) -> Verdict:
    call = calls[-1]
    return violated(
        f"told the agent 'ok' of {step.name}, but nothing of that had been done",
        because=f"{asked_for(call)} was told '{told_text(call.last_told)}' and had not been applied",
        calls=[call.index],
    )


# Told 'failed' ----------------------------------------------------------------------------------------------


def _effects(history: History, step: Step, calls: list[Call]) -> Iterator[Effect]:
    for call in calls:
        if call.index in step.shared or call.operation.cls < EffectClass.REVERSIBLE:
            continue
        yield from (e for e in call.effects if not e.environment and not history.is_hollow(e))


def _is_undone_by(history: History, effect: Effect, at: int) -> bool:
    """Whether an effect had been taken back at a position of the history, in full where amounts are known."""
    undos = [u for u in history.undone_by.get(effect.id, ()) if history.applied_at[u.id] < at]
    amounts = [undo.amount for undo in undos if undo.amount is not None]
    if effect.amount is None or len(amounts) < len(undos):
        return bool(undos)
    return sum(amounts) >= effect.amount


def _lands_later(history: History, effect: Effect, step: Step, told: Telling) -> bool:
    """Whether it lands by itself and stays; a step that was asked for again may have been done since."""
    if any(again.since > told.until for again in step.tellings) or effect not in history.residue:
        return False
    return any(event.late and event.effect.id == effect.id for event in history.of(Applied))


def _done_after_all(history: History, step: Step, effect: Effect, how: str) -> Verdict:
    call = history.calls[effect.call]
    return violated(
        f"told the agent 'failed' of {step.name}, but {effect_text(effect)} {how}",
        because=f"{asked_for(call)} was told '{told_text(call.last_told)}', and was applied all the same",
        calls=[call.index],
    )
