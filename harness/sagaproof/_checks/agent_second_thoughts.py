"""Where an agent went on although something had failed, and what it was never told of."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.agent_steps import Step, steps_of
from sagaproof._model.event import Answered, Asked, Died, Restarted
from sagaproof._model.history import Call, History
from sagaproof._model.script import Script, ToolCall, calls_of

__all__ = ["got_over", "meant_again", "untold_steps"]


def got_over(history: History) -> frozenset[int]:
    """The calls of steps that failed and that the agent went on after: none of them is why it ended."""
    tolerant = {call.call_id for call in _calls(history.script) if call.tolerates}
    if not tolerant:
        return frozenset()
    windows = list(_failed_windows(history, tolerant))
    return frozenset(call.index for call in history.calls if _is_in(call, windows))


def _failed_windows(history: History, tolerant: set[str]) -> Iterator[tuple[int, int]]:
    asked: dict[int, tuple[int, str]] = {}
    for at, event in enumerate(history.events):
        if isinstance(event, Asked):
            asked[event.step] = (at, event.call_id)
        elif isinstance(event, Died | Restarted):
            asked.clear()
        elif isinstance(event, Answered) and event.step in asked:
            began, call_id = asked.pop(event.step)
            if event.outcome != "ok" and call_id in tolerant:
                yield began, at


def _is_in(call: Call, windows: list[tuple[int, int]]) -> bool:
    return any(began < call.started < ended for began, ended in windows)


def untold_steps(history: History) -> list[Step]:
    """The steps during which a process died and of which the agent was told nothing, not even later."""
    if not history.restarted:
        return []
    return [step for step in steps_of(history) if not any(told.outcome for told in step.tellings)]


def meant_again(history: History) -> frozenset[int]:
    """The calls that a new process made for an agent that knew that the same was done, and asked once more.

    It had been told so, went on with other calls after the restart, and named this one by a new id: that is
    a wish of its own, which no script without faults has. One call counts for each time that it asked.
    """
    if not history.restarted or not isinstance(history.script.after_restart, tuple):
        return frozenset()
    steps = steps_of(history)
    died = next(at for at, event in enumerate(history.events) if isinstance(event, Died))
    again = (step for step in steps if step.tellings[0].since > died and _was_told(steps, step))
    own = ([call.index for call in step.calls if call.index not in step.shared] for step in again)
    return frozenset(calls[0] for calls in own if calls)


def _was_told(steps: list[Step], again: Step) -> bool:
    return any(
        step.tool == again.tool
        and step.args == again.args
        and any(told.outcome == "ok" and told.until < again.tellings[0].since for told in step.tellings)
        for step in steps
        if step is not again
    )


def _calls(script: Script) -> Iterator[ToolCall]:
    again = script.after_restart if isinstance(script.after_restart, tuple) else ()
    for call in (*(call for turn in script.calls for call in calls_of(turn)), *again, *script.afterwards):
        yield call
        yield from call.if_failed if isinstance(call.if_failed, tuple) else ()
