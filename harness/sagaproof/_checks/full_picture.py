"""`full-picture`: a person who takes over finds all that there is to know in the case."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sagaproof._checks.account import failed_before, is_spoken_of
from sagaproof._checks.answers import is_nothing_to_undo, told_text
from sagaproof._checks.doubt import in_doubt, pivot_calls
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text, effect_text
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Died
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.words import mentions

__all__ = ["FullPicture"]


class FullPicture:
    """The full picture (O30).

    If the saga claims *escalated*, then its cases together name: each effect of class 3 to 5 that its calls
    left before the last case, also one that was taken back again, by reference or key (one whose answer never
    came, or that has neither, also by operation); what each failed undo was for; a pivot that is in doubt;
    and the error that started it. What is released in the ordinary way is left out. And no case is opened
    once more with the same content after it was acknowledged; a process that died since may not have noted
    that. Reached when such a saga has opened a case.
    """

    slug = "full-picture"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever claim it and have somebody to tell."""
        return facts.escalates and Claim.ESCALATED in facts.claims

    def judge(self, history: History) -> Verdict:
        """Judge the cases together."""
        if history.claim is not Claim.ESCALATED or not history.cases or history.asserted:
            return NOT_REACHED
        last = max(history.applied_at[case.id] for case in history.cases)
        for effect in _to_be_named(history, last):
            if not _names_effect(history, effect):
                return _leaves_out(history, effect)
        for call, why in _open_calls(history, last):
            if not _names_call(history, call):
                return _leaves_open(call, why)
        return _judge_cause(history) or _judge_copies(history) or HELD


def _to_be_named(history: History, last: int) -> Iterator[Effect]:
    for effect in history.effects:
        if effect.cls < EffectClass.REVERSIBLE or effect.undoes is not None or effect.environment:
            continue
        routine = any(undo.full in history.routine for undo in history.undone_by.get(effect.id, ()))
        known = history.calls[effect.call].started < last
        if known and not routine and not history.is_hollow(effect):
            yield effect


def _names_effect(history: History, effect: Effect) -> bool:
    if history.is_named(effect):
        return True
    nameless = effect.ref is None and effect.key is None
    return nameless and mentions(history.told_words, effect.operation)


def _open_calls(history: History, last: int) -> Iterator[tuple[Call, str]]:
    """The calls of which it is open what becomes of them: their undo failed, or they are pivots in doubt."""
    for undo in history.undo_calls:
        told = undo.last_told
        target = None if undo.undoes is None else undo.undoes.call
        if undo.started > last or undo.ok or target is None:
            continue
        if told is None or not is_nothing_to_undo(told):
            yield history.calls[target], f"{asked_for(undo)} was told '{told_text(told)}'"
    for pivot in pivot_calls(history):
        doubtful = in_doubt(history, pivot, last)
        if doubtful is not None:
            yield pivot, f"{asked_for(pivot)} was told '{told_text(doubtful.told)}'"


def _names_call(history: History, call: Call) -> bool:
    words = history.told_words
    names = (*call.keys, *(e.ref for e in call.effects), call.operation.name)
    return any(mentions(words, name) for name in names)


def _judge_cause(history: History) -> Verdict | None:
    """The error that started it: one of those before the unwind, or before the first case without one."""
    began = min(history.calls[case.call].started for case in history.cases)
    if 0 <= history.unwind_began < began:
        began = history.unwind_began
    failed = list(failed_before(history, began))
    if not failed or is_spoken_of(history, failed):
        return None
    return violated(
        f"said 'escalated', but no case says that {call_text(failed[-1])} failed, with which it began",
        because=f"{asked_for(failed[-1])} was told '{told_text(failed[-1].last_told)}'",
        calls=[failed[-1].index, history.cases[0].call],
    )


def _judge_copies(history: History) -> Verdict | None:
    """A case whose opening was acknowledged is not opened again."""
    deaths = [at for at, event in enumerate(history.events) if event.__class__ is Died]
    for first, again in combinations(history.cases, 2):
        one, other = history.calls[first.call], history.calls[again.call]
        if first.full != again.full or first.args != again.args or not 0 <= one.answered < other.started:
            continue
        if any(one.answered < at < other.started for at in deaths):
            continue
        return violated(
            f"case {first.ref or ''} was opened a second time as {again.ref or ''}".replace("  ", " "),
            because=f"{asked_for(one)} had been answered when {asked_for(other)} asked for the same",
            calls=[other.index, one.index],
        )
    return None


def _leaves_out(history: History, effect: Effect) -> Verdict:
    call = history.calls[effect.call]
    state = ", which was taken back" if history.is_undone(effect) else ""
    return violated(
        f"said 'escalated', but no case names {effect_text(effect)}{state}",
        because=f"{asked_for(call)} was applied, and whoever takes over has to know of it",
        calls=[call.index, history.cases[0].call],
    )


def _leaves_open(call: Call, why: str) -> Verdict:
    return violated(
        f"said 'escalated', but no case names {call_text(call)}, of which it is open what becomes",
        because=why,
        calls=[call.index],
    )
