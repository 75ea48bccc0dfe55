"""What an agent may do next: the rules of the machine, each of which appends to a draft.

Nothing is run while the rules are drawn. The draft is run whole when Hypothesis tears the machine down: once
without faults, once more for each armed fault to find the point that it meets, so that what fails is a script
and a plan and fails through `Runner.run` like any plan of the explorer. To step through a living saga instead
would mean to draw within its virtual time and its event loop, and would make a second way of running. The
price is that rules know no answers: an argument that is one is written as `Answer(call id, field)`. A run
takes about as long as one step of Hypothesis.

Whatever the draft, one of the rules that no example does without is possible: there is always a next step.
"""

from __future__ import annotations

from typing import Final

from sagaproof._machine.draft import Asking, Draft
from sagaproof._machine.rule import RULES, rule
from sagaproof._model.script import AfterRestart, IfFailed

__all__ = ["RULES"]

_WAITS_MAX: Final = 3
"""No more, so that keys live: of what an agent did longer ago than that no undo by key can be sure."""

_TOGETHER_MAX: Final = 3


def _is_open(draft: Draft) -> bool:
    return not draft.given_up


def _has_last(draft: Draft) -> bool:
    return draft.last is not None


def _has_called(draft: Draft) -> bool:
    return not draft.given_up and bool(draft.calls)


# Calls ----------------------------------------------------------------------------------------------


@rule("turns", can=lambda draft: _is_open(draft) and draft.coming, optional=False)
def go_on_as_known(draft: Draft, turns: int) -> None:
    """The next turns of a script that is known."""
    draft.follow(turns)


@rule("call", can=_is_open, optional=False)
def call_a_tool(draft: Draft, asking: Asking) -> None:
    """One call, with arguments from the world."""
    draft.append(draft.call(asking))


@rule("back", "anew", can=_has_called)
def repeat_a_call(draft: Draft, back: int, anew: bool) -> None:  # noqa: FBT001  # drawn
    """An earlier call again, as a new one or under the same id."""
    calls = draft.calls
    call = calls[-1 - back % len(calls)]
    again = draft.call((call.tool, call.args), "" if anew else call.call_id, IfFailed.GO_ON)
    draft.append(again)


@rule("call", "call", "tolerant", can=_is_open)
def call_at_once(draft: Draft, one: Asking, other: Asking, tolerant: bool) -> None:  # noqa: FBT001  # drawn
    """Two calls in one turn; who asks for the same twice there has made one call."""
    then = IfFailed.GO_ON if tolerant else IfFailed.GIVE_UP
    calls = [draft.call(asking, if_failed=then) for asking in (one, other)]
    is_same = calls[0][:2] == calls[1][:2]
    draft.append(calls[0] if is_same else tuple(calls))


@rule("irreversible", can=_is_open)
def call_what_is_final(draft: Draft, asking: Asking) -> None:
    """An irreversible call, wherever the agent is."""
    draft.append(draft.call(asking))


# If a call fails ------------------------------------------------------------------------------------


@rule(can=_has_last)
def tolerate(draft: Draft) -> None:
    """Go on if the latest call fails."""
    draft.if_last_fails(IfFailed.GO_ON)


@rule(can=_has_last)
def ask_again_if_it_fails(draft: Draft) -> None:
    """Make the latest call once more under a new id if it fails."""
    last = draft.last
    assert last is not None
    again = draft.call((last.tool, last.args), if_failed=IfFailed.GO_ON)
    draft.if_last_fails((again,))


@rule("call", can=_has_last)
def decide_otherwise_if_it_fails(draft: Draft, asking: Asking) -> None:
    """Make another call if the latest one fails."""
    other = draft.call(asking, if_failed=IfFailed.GO_ON)
    draft.if_last_fails((other,))


# Endings --------------------------------------------------------------------------------------------


@rule(can=_has_called, optional=False)
def give_up(draft: Draft) -> None:
    """End here, and have all taken back."""
    draft.given_up = True


@rule("call", can=lambda draft: draft.given_up, optional=False)
def call_after_the_end(draft: Draft, asking: Asking) -> None:
    """Make a call although all was given up."""
    if len(draft.afterwards) < _TOGETHER_MAX:
        draft.afterwards.append(draft.call(asking))


@rule("crash", "nth", "call", "coin", can=lambda draft: draft.may_arm)
def restart(
    draft: Draft,
    crash: tuple[str, int],
    nth: int,
    asking: Asking,
    goes_on: bool,  # noqa: FBT001  # drawn
) -> None:
    """Let the process die at one of the next points; then give up, or make another call."""
    draft.arm(*crash, nth)
    other = draft.call(asking, if_failed=IfFailed.GO_ON)
    draft.after_restart = (other,) if goes_on else AfterRestart.GIVE_UP


# The world ------------------------------------------------------------------------------------------


@rule("write", can=_is_open)
def another_writes(draft: Draft, write: Asking) -> None:
    """Somebody else changes something."""
    draft.other_write(*write)


@rule("seconds", can=lambda draft: _is_open(draft) and draft.waits < _WAITS_MAX)
def let_time_pass(draft: Draft, seconds: float) -> None:
    """Nothing happens for a while."""
    draft.wait(seconds)


@rule("fault", "nth", can=lambda draft: draft.may_arm, optional=False)
def arm(draft: Draft, fault: tuple[str, int], nth: int) -> None:
    """Put a fault on one of the next arrivals."""
    draft.arm(*fault, nth)


@rule("cancel", "nth", can=lambda draft: draft.may_arm)
def cancel(draft: Draft, fault: tuple[str, int], nth: int) -> None:
    """Cancel the agent during one of the next calls."""
    draft.arm(*fault, nth)
