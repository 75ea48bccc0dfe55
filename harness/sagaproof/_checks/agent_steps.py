"""The steps of an agent that feeds a saga: what it asked for, which calls that came to, what it was told."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sagaproof._model.event import Answered, Asked, Died, Restarted
from sagaproof._model.history import Call, History
from sagaproof._model.point import Phase
from sagaproof._model.words import mentions, words_of

__all__ = ["Step", "Telling", "steps_of"]

_KINDS: Final = frozenset({Asked, Answered, Died, Restarted})


@dataclass(slots=True)
class Telling:
    """One time that a step was asked for. `until` is where it was answered or its process died."""

    since: int
    until: int
    outcome: str = ""


@dataclass(slots=True)
class Step:
    """A step, asked for once or, after a restart, again; with the writes on the way there that were its own.

    `shared` are calls that another step has made as well: which of them an effect belongs to is not told.
    """

    tool: str
    call_id: str
    args: Mapping[str, Any] = field(default_factory=dict)
    tellings: list[Telling] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    shared: set[int] = field(default_factory=set)

    @property
    def name(self) -> str:
        """How findings name it: the tool with its call id."""
        return f"{self.tool} ({self.call_id})" if self.call_id else self.tool


def steps_of(history: History) -> list[Step]:
    """The steps in the order in which they were first asked for."""
    steps = _asked(history)
    makers: dict[int, list[Step]] = {}
    for call in history.calls:
        if not call.operation.writes or call.operation.escalates or call.phase is not Phase.FORWARD:
            continue
        for arrival in call.arrivals:
            step = _maker(steps, arrival.position, arrival.called.key)
            known = makers.setdefault(call.index, [])
            if step is not None and not any(other is step for other in known):
                known.append(step)
                step.calls.append(call)
    for index, shared_by in makers.items():
        if len(shared_by) > 1:
            for step in shared_by:
                step.shared.add(index)
    return steps


def _asked(history: History) -> list[Step]:
    steps: dict[Hashable, Step] = {}
    waiting: dict[int, Telling] = {}
    for at, event in enumerate(history.events):
        if event.__class__ not in _KINDS:
            continue
        if isinstance(event, Asked):
            who = (event.call_id or event.step, event.tool, repr(event.args))
            waiting[event.step] = Telling(at, len(history.events))
            step = steps.setdefault(who, Step(event.tool, event.call_id, event.args))
            step.tellings.append(waiting[event.step])
        elif isinstance(event, Answered):
            told = waiting.pop(event.step, None)
            if told is not None:  # else its process had died, and whoever it was for heard nothing
                told.until, told.outcome = at, event.outcome
        elif isinstance(event, Died | Restarted):
            for left in waiting.values():
                left.until = at
            waiting.clear()
    return list(steps.values())


def _maker(steps: list[Step], at: int, key: str | None) -> Step | None:
    """The step at work at a position of the history; of several the one whose call id is in the key."""
    working = list(_working(steps, at))
    if len(working) > 1:
        words = words_of(key)
        working = [step for step in working if mentions(words, step.call_id)]
    return working[0] if len(working) == 1 else None


def _working(steps: list[Step], at: int) -> Iterator[Step]:
    return (s for s in steps if any(told.since < at < told.until for told in s.tellings))
