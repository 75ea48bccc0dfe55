"""`one-irreversible-per-step`: no step does two things that cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.effect import Effect
from sagaproof._model.event import Answered, Asked, Called, Died
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass

__all__ = ["OneIrreversiblePerStep"]

_TOOLS: Final = "tools"


class OneIrreversiblePerStep:
    """One irreversible effect in a step.

    A step is what lies between a tool call of the agent and what the agent is told of it. In it at most one
    call of class 5 takes effect: if the second failed, the step would be neither done nor not done, and
    nothing could make it so. What happens while two steps are under way belongs to neither. A callable under
    `world.tool` is a step as well, unless it is async: it makes no two irreversible calls, and if it is of
    class 5 itself, it calls no other tool of class 5. Reached by a step with one irreversible effect.
    """

    slug = "one-irreversible-per-step"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that an agent feeds call by call and that make an irreversible one."""
        return facts.steps and EffectClass.IRREVERSIBLE in facts.classes

    def judge(self, history: History) -> Verdict:
        """Judge the irreversible effects step by step."""
        if history.script.opaque and all(call.operation.system != _TOOLS for call in history.calls):
            return NOT_REACHED
        if not any(_is_irreversible(effect, history) for effect in history.effects):
            return NOT_REACHED
        reached = False
        for step, calls in (*_steps(history), *_tools(history)):
            done = [e for call in calls for e in call.effects[:1] if _is_irreversible(e, history)]
            if len(done) > 1:
                return _twice(history, step, done)
            reached = reached or bool(done)
        return HELD if reached else NOT_REACHED


def _is_irreversible(effect: Effect, history: History) -> bool:
    irreversible = effect.cls is EffectClass.IRREVERSIBLE and effect.undoes is None
    return irreversible and not effect.environment and not history.is_hollow(effect)


def _steps(history: History) -> Iterator[tuple[str, Sequence[Call]]]:
    """The calls that were begun while just one step was under way, by step."""
    if history.script.opaque:
        return
    under_way: dict[int, tuple[str, list[Call]]] = {}
    for event in history.events:
        match event:
            case Asked():
                under_way[event.step] = (f"step {event.step} ({event.tool})", [])
            case Answered():
                if event.step in under_way:
                    yield under_way.pop(event.step)
            case Died():
                yield from under_way.values()
                under_way.clear()
            case Called() if len(under_way) == 1:
                call = history.calls[event.call]
                if call.first is event:
                    next(iter(under_way.values()))[1].append(call)
            case _:
                pass
    yield from under_way.values()


def _tools(history: History) -> Iterator[tuple[str, Sequence[Call]]]:
    """For each attempt of a synchronous tool: the calls made in it, and its own if that is one more.

    A tool that sends a mail is of class 5 as the mail is; both are one. Of two tools each was declared to be
    something of its own.
    """
    for outer in history.calls:
        if outer.operation.system != _TOOLS or "immediate" in outer.operation.traits:
            continue
        for arrival in outer.arrivals:
            inner = [c for c in history.calls if arrival.position < c.started < arrival.told_position]
            irreversible = [c for c in inner if c.operation.cls is EffectClass.IRREVERSIBLE]
            of_tools = [c for c in irreversible if c.operation.system == _TOOLS]
            yield f"tool {outer.operation.name}", [outer, *of_tools]
            yield f"tool {outer.operation.name}", [c for c in irreversible if c not in of_tools]


def _twice(history: History, step: str, done: Sequence[Effect]) -> Verdict:
    first, second = done[0], done[1]
    calls = sorted({e.call for e in done})
    return violated(
        f"{step} did two things that cannot be taken back: {effect_text(first)} and {effect_text(second)}",
        because=" and ".join(asked_for(history.calls[call]) for call in calls[:2]) + " are both irreversible",
        calls=calls,
    )
