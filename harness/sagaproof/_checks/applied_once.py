"""`applied-once`: what was meant once is done once, however often it was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import combinations

from sagaproof._checks.agent_second_thoughts import meant_again
from sagaproof._checks.answers import told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.fault import CALLS
from sagaproof._model.fault import Applied as Half
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase

__all__ = ["AppliedOnce"]

_DENIES = frozenset({Claim.REFUSED, Claim.COMPENSATED})
_APPLIES = frozenset(
    name for name, fault in FAULTS.items() if fault.applied is not Half.NO and fault.phases & CALLS
)


class AppliedOnce:
    """At most once (O8), also across retries, restarts and an agent that repeats itself.

    A logical call leaves at most one effect of class 3 to 5, and all calls together leave no more effects of
    one meaning than the fault-free run does, where it has any. An irreversible effect counts even if
    something says that it was taken back. Duplicates that no client can prevent do not count. What the
    fault-free run itself does twice is taken for meant, unless it is irreversible and the saga says that it
    did nothing, or took all back; and so is what an agent asks for again after a restart, having been told
    that it is done. Reached when a write was applied that had a fault, arrived twice or was
    asked for again.
    """

    slug = "applied-once"

    def applies(self, facts: Facts) -> bool:
        """Applies where an effect could have been doubled: some write was ever applied under a fault."""
        return bool(facts.faults & _APPLIES) and any(c >= EffectClass.REVERSIBLE for c in facts.classes)

    def judge(self, history: History) -> Verdict:
        """Judge the effects by call, then by meaning."""
        for call in history.calls:
            if len(call.effects) > 1:
                doubled = [e for e in call.effects if _counts(e, history)]
                if len(doubled) > 1 and not history.is_usual_twice(call):
                    return _twice_in_one_call(call, doubled)
        again = _surplus(history)
        if again:
            return _twice_in_two_calls(history, again)
        return HELD if _is_tested(history) else NOT_REACHED


def _counts(effect: Effect, history: History) -> bool:
    if effect.undoes is not None or effect.environment:
        return False
    if effect.cls is EffectClass.IRREVERSIBLE:
        return not history.is_hollow(effect)
    return effect.cls >= EffectClass.REVERSIBLE and effect in history.residue


def _candidates(history: History) -> Iterator[Effect]:
    return (e for e in history.effects if e.undoes is None and e.cls >= EffectClass.REVERSIBLE)


def _surplus(history: History) -> list[Effect]:
    """The effects of a meaning of which there are more than in the fault-free run, the extra one last."""
    twin = history.twin
    if twin is None or twin is history:
        return _denied(history)
    if history.is_like_twin and not history.undone_by:
        return []
    usual = Counter(e.full for e in _candidates(twin))
    more = {name for name, n in Counter(e.full for e in _candidates(history)).items() if n > usual[name] > 0}
    if not more:
        return []
    again = meant_again(history)
    by_meaning: dict[Hashable, list[Effect]] = {}
    for effect in history.effects:
        if effect.full in more and effect.call not in again and _counts(effect, history):
            by_meaning.setdefault(history.meaning(effect), []).append(effect)
    wanted = Counter(twin.meaning(e) for e in twin.effects if e.full in more and _counts(e, twin))
    return next((found for meaning, found in by_meaning.items() if len(found) > wanted[meaning] > 0), [])


def _denied(history: History) -> list[Effect]:
    """What was done again after it was answered, by a saga that says it did nothing or took all back.

    Without another run to hold against this is all that can be told: what it would have had once too often
    it should not have at all. Who completes may mean the same twice.
    """
    if history.claim not in _DENIES:
        return []
    by_meaning: dict[Hashable, list[Effect]] = {}
    for effect in history.effects:
        if effect.cls is EffectClass.IRREVERSIBLE and _counts(effect, history):
            by_meaning.setdefault(history.meaning(effect), []).append(effect)
    return next((same for same in by_meaning.values() if len(same) > 1), [])


def _is_tested(history: History) -> bool:
    asked: dict[str, list[Call]] = {}
    for call in history.calls:
        if call.operation.cls < EffectClass.REVERSIBLE or call.first.phase is not Phase.FORWARD:
            continue
        if call.effects and (len(call.arrivals) > 1 or call.arrivals[0].called.fault is not None):
            return True
        asked.setdefault(call.operation.full, []).append(call)
    return any(_is_repeated(calls) for calls in asked.values() if len(calls) > 1)


def _is_repeated(calls: list[Call]) -> bool:
    """Whether two of these calls ask for the same, and at least one of them took effect."""
    return any(
        one.first.args == other.first.args and (one.effects or other.effects)
        for one, other in combinations(calls, 2)
    )


def _twice_in_one_call(call: Call, doubled: list[Effect]) -> Verdict:
    first = call.arrivals[0]
    keys = set(call.keys)
    keyless = ""
    if keys == {None}:
        keyless = " without an idempotency key"
    elif len(keys) > 1:
        keyless = " with another key"
    if len(call.arrivals) > 1:
        why = f"{asked_for(call)} was told '{told_text(first.told)}' and made again{keyless}"
    else:
        why = f"{asked_for(call)} was made{keyless}, so that a second delivery of it was applied as well"
    return violated(_applied(doubled), because=why, calls=[call.index])


def _twice_in_two_calls(history: History, again: list[Effect]) -> Verdict:
    last = history.calls[again[-1].call]
    return violated(
        _applied(again),
        because=f"{asked_for(last)} asked for it once more",
        calls=[last.index, *(e.call for e in again[:-1])],
    )


def _applied(same: list[Effect]) -> str:
    first, last = same[0], same[-1]
    times = "twice" if len(same) == 2 else f"{len(same)} times"
    also = "" if last.ref is None or last.ref == first.ref else f", also as {last.ref}"
    return f"{effect_text(first)} was applied {times}{also}"
