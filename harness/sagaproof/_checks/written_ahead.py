"""`written-ahead`: what a saga is about to do stands written before it does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sagaproof._checks.crash import (
    CRASHES,
    came_back,
    deaths,
    last_note,
    named_to_a_person,
    steps_forward,
)
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text
from sagaproof._model.event import Asked, Died, Noted
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.words import mentions, words_of

__all__ = ["WrittenAhead"]

_TOOLS: Final = "tools"
_RANDOM: Final = re.compile(r"[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}")
"""A UUID of version 4 (RFC 9562, section 5.4): nobody can work it out a second time."""


class WrittenAhead:
    """Write-ahead (O22).

    When the process dies, each call of class 3 to 5 since its last write into a durable store had been
    written down before it was first sent: a record names its key, its operation, its tool or, if it has no
    key, all of its text arguments. A key that was drawn at random has to be in a record itself. Or a later
    process shows that it knows of the call in another way: it repeats it under its key, undoes it, asks what
    became of it, or names it in a case. That an agent repeats its own call is no such sign. Undos are not
    judged. Reached when a process died after such a call.
    """

    slug = "written-ahead"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that have a durable store, can be restarted, and do what has to be undone."""
        return (
            facts.durable
            and bool(facts.faults & CRASHES)
            and any(c >= EffectClass.REVERSIBLE for c in facts.classes)
        )

    def judge(self, history: History) -> Verdict:
        """Judge the calls that were open at each death."""
        if not history.restarted or not _writes_durably(history):
            return NOT_REACHED
        reached = False
        for death in deaths(history):
            for call in _open_at(history, death):
                reached = True
                if not _is_known(history, call, death):
                    return _unwritten(history, call, death)
        return HELD if reached else NOT_REACHED


def _writes_durably(history: History) -> bool:
    """Whether the saga does so at all: that of the fault-free run is what it does."""
    return any(event.__class__ is Noted for event in (history.twin or history).events)


def _open_at(history: History, death: int) -> Iterator[Call]:
    """The calls that the dead process had begun since it last wrote anything down."""
    since = max(last_note(history, death), max((d for d in deaths(history) if d < death), default=-1))
    return (call for call in steps_forward(history) if since < call.started < death)


def _is_known(history: History, call: Call, death: int) -> bool:
    by_agent = history.script.opaque
    return any(
        _is_written(history, one)
        or named_to_a_person(history, one)
        or came_back(history, one, death, by_agent=by_agent)
        for one in (call, *_tools_around(history, call))
    )


def _tools_around(history: History, call: Call) -> Iterator[Call]:
    """The wrapped tools that were at work when a call was first made: it may well be part of them."""
    for other in history.calls:
        if other.operation.system == _TOOLS and other is not call:
            spans = ((a.position, a.told_position) for a in other.arrivals)
            if any(begun < call.started and not begun < told < call.started for begun, told in spans):
                yield other


def _is_written(history: History, call: Call) -> bool:
    records = [words_of(e.record) for e in history.events[: call.started] if isinstance(e, Noted) and e.kept]
    key = call.first.key
    if key is not None and any(mentions(words, key) for words in records):
        return True
    drawn = [] if key is None else _RANDOM.findall(key)
    if not all(any(mentions(words, part) for words in records) for part in drawn):
        return False
    names = {call.operation.name, call.operation.full, _tool_of(history, call)}
    if any(mentions(words, name) for name in names for words in records):
        return True
    texts = {text for text in call.first.args.values() if isinstance(text, str)}
    if key is not None or not texts:
        return False  # another call may have the same arguments, and a key was there to tell them apart
    return any(all(mentions(words, text) for text in texts) for words in records)


def _tool_of(history: History, call: Call) -> str | None:
    """The tool that the agent had called last when this call was first made."""
    asked = (e for e in reversed(history.events[: call.started]) if isinstance(e, Asked))
    return next((event.tool for event in asked), None)


def _unwritten(history: History, call: Call, death: int) -> Verdict:
    died = history.events[death]
    assert isinstance(died, Died)
    key = f" under the key {call.first.key}" if call.first.key else ""
    return violated(
        f"the process died over {call_text(call)}, but nothing of that had been written down",
        because=f"{asked_for(call)}{key} was made before any record named it; "
        f"the process died at {died.point}, and no later one came back to it",
        calls=[call.index],
    )
