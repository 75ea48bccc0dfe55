"""The script of what an agent has in fact gone on with: a run is held against that, without its faults.

An agent that goes on after a failure, or makes other calls instead, has meant less or something else in the
end than it would have without the failure. What failed, and did nothing that stands, is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sagaproof._model.event import Answered, Applied, Asked, Restarted
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import IfFailed, OtherWrite, Script, ToolCall, Turn, Wait, calls_of
from sagaproof._model.words import mentions, words_of

__all__ = ["Twins", "as_played"]

_KINDS: Final = frozenset({Asked, Answered, Applied, Restarted})


class _Outcomes:
    """What the agent of the last process was told of each of its steps, in their order."""

    def __init__(self, history: History) -> None:
        self._asked: dict[int, Asked] = {}
        self._told: dict[int, str] = {}
        self._did: set[int] = set()
        self._next = 1
        for event in history.events:
            if event.__class__ in _KINDS:
                self._note(event)

    def _note(self, event: object) -> None:
        if isinstance(event, Restarted):
            if not event.at_rest:
                self._asked, self._told, self._did = {}, {}, set()
        elif isinstance(event, Asked):
            self._asked[event.step] = event
        elif isinstance(event, Answered):
            self._told[event.step] = event.outcome
        elif isinstance(event, Applied) and event.effect.undoes is None:
            self._did.update(self._at_work(event.effect.key))

    def _at_work(self, key: str | None) -> list[int]:
        """The step that an effect belongs to: the one whose call id is in its key, else the first at work."""
        waiting = [step for step in self._asked if step not in self._told]
        words = words_of(key)
        named = [step for step in waiting if mentions(words, self._asked[step].call_id)]
        return (named or waiting)[:1]

    def step(self) -> tuple[Asked | None, str]:
        """The next step as it was asked for, None if it was not, and what the agent was told of it."""
        number, self._next = self._next, self._next + 1
        return self._asked.get(number), self._told.get(number, "unknown")

    @property
    def did_anything(self) -> bool:
        """Whether an effect came about during the step before."""
        return self._next - 1 in self._did


def as_played(history: History) -> Script:
    """The script without what failed and was got over; what was made instead stands where it was made."""
    outcomes = _Outcomes(history)
    turns: list[Turn] = []
    for turn in history.script.calls:
        if isinstance(turn, Wait | OtherWrite):
            turns.append(turn)
            continue
        kept, instead, goes_on = _played(calls_of(turn), outcomes)
        if kept:
            turns.append(kept[0] if len(kept) == 1 else tuple(kept))
        turns += instead
        if not goes_on:
            break
    script = history.script
    given_up = len(turns) if script.give_up_after is not None else None
    return replace(script, calls=tuple(turns), give_up_after=given_up, afterwards=())


def _played(turn: tuple[ToolCall, ...], outcomes: _Outcomes) -> tuple[list[ToolCall], list[ToolCall], bool]:
    """Of one turn: the calls that count, those that were made instead, and whether the agent went on."""
    asked = [(call, *outcomes.step(), outcomes.did_anything) for call in turn]
    kept: list[ToolCall] = []
    instead: list[ToolCall] = []
    for call, known, told, did in asked:
        if known is None:
            return kept, instead, False
        alternatives = call.if_failed if isinstance(call.if_failed, tuple) else ()
        meant = ToolCall(known.tool, known.args, known.call_id, IfFailed.GO_ON)
        if told == "ok":
            kept.append(meant)
            continue
        made = [(*_played((other,), outcomes),) for other in alternatives] if told else []
        if told == "unknown" and did and not any(more for more, _, _ in made):
            kept.append(meant)
        if not call.tolerates:
            return kept, instead, False
        for more, most, goes_on in made:
            instead += [*more, *most]
            if not goes_on:
                return kept, instead, False
    return kept, instead, True


class Twins:
    """Fault-free runs of scripts as they were played, each made once."""

    def __init__(self) -> None:
        self._known: dict[str, History] = {}

    def beside(self, history: History, run: Callable[[Script, Plan], History]) -> History:
        """The history, with the twin that it can be held against; after a restart it may be none as good."""
        twin = history.twin
        if twin is None or (history.restarted and isinstance(history.script.after_restart, tuple)):
            return history
        played = as_played(history)
        text = _text(played)
        if text == _text(as_played(twin)):
            return history
        if text not in self._known:
            found = self._known[text] = run(played, EMPTY)
            found.twin = found
        history.twin = self._known[text]
        return history


def _text(script: Script) -> str:
    """What tells two played scripts apart: their turns, whatever the ids of their calls, and their ending."""
    turns = [[(c.tool, c.args) for c in calls_of(turn)] or turn for turn in script.calls]
    return repr((turns, script.give_up_after is None))
