"""An agent that gives up, with any number of its steps done, or that decides anew after a crash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sagaproof._checks.crash import CRASHES
from sagaproof._checks.protocol import Facts
from sagaproof._model.event import Answered, Asked, Restarted
from sagaproof._model.history import History
from sagaproof._model.script import AfterRestart, Script, calls_of
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["agent"]


def agent(scripts: Sequence[Script]) -> Iterator[Sometimes]:
    """Those that an agent with these scripts can get to: giving up at each depth, deciding anew."""
    depths = [_steps(one) for script in scripts for one in script.endings() if one.give_up_after is not None]
    for depth in range(max(depths) + 1 if depths else 0):
        yield _gave_up_at(depth)
    replans = any(isinstance(script.after_restart, tuple) for script in scripts)

    def applies(facts: Facts) -> bool:
        return replans and not CRASHES.isdisjoint(facts.faults)

    yield Sometimes(
        "replanned-after-recovery",
        (
            ("another process went on after a crash", _restarted),
            ("and its agent asked for something else", _asked_otherwise),
        ),
        applies,
    )


def _gave_up_at(depth: int) -> Sometimes:
    def got_as_far(history: History) -> bool:
        return _succeeded(history) == depth

    words = "one step" if depth == 1 else f"{depth or 'none'} of its steps"
    return Sometimes(
        f"agent-gave-up-at-depth-{depth}",
        (("the agent gave up", _gave_up), (f"when {words} had succeeded", got_as_far)),
        faults_needed=0 if depth else 1,
    )


def _steps(script: Script) -> int:
    """How many tool calls a script has up to where it gives up."""
    turns = script.calls[: script.give_up_after]
    return sum(len(calls_of(turn)) for turn in turns)


def _gave_up(history: History) -> bool:
    script = history.script
    if script.give_up_after is not None:
        return True
    return script.after_restart is AfterRestart.GIVE_UP and history.restarted


def _succeeded(history: History) -> int:
    """How many different steps of the agent were answered with success."""
    return len({e.step for e in history.events if e.__class__ is Answered and e.outcome == "ok"})


def _restarted(history: History) -> bool:
    return history.index.restarts > 0


def _asked_otherwise(history: History) -> bool:
    if not isinstance(history.script.after_restart, tuple):
        return False
    events = iter(history.events)
    restarted = any(isinstance(event, Restarted) for event in events)
    return restarted and any(isinstance(event, Asked) for event in events)
