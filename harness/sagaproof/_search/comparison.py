"""Two plans of which one was taken for the other: run both, and see whether they show the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sagaproof._model.event import Restarted
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._search.judge import Judge
from sagaproof._search.signature import signature, signature_since
from sagaproof.errors import NotInjected

__all__ = ["Pair", "alike", "restarts"]


class Pair(NamedTuple):
    """Whether `found`, which was left out, shows what `expected` does.

    From the restart `since` on, if that is given. `crashed`: from the last restart, if both came upon the
    state of a crash. `less`: `expected` lacks a fault that was taken to change nothing.
    """

    expected: Plan
    found: Plan
    since: int | None = None
    crashed: bool = False
    less: bool = False


def alike(pair: Pair, run: Callable[[Plan], History], judge: Judge) -> bool | None:
    """Whether they show the same, also to the checks; None if the second never came to its points."""
    one = run(pair.expected)
    try:
        other = run(pair.found)
    except NotInjected:
        return None
    verdicts = [judge.judge(history)[0].violated for history in (one, other)]
    return _look_alike(pair, one, other) and verdicts[0] == verdicts[1]


def _look_alike(pair: Pair, one: History, other: History) -> bool:
    if pair.less:
        return signature(one, faulted_in=other) == signature(other)
    if pair.since is not None:
        return signature_since(one, pair.since) == signature_since(other, pair.since)
    if signature(one) == signature(other):
        return True
    both_crashed = one.crash_state is not None and other.crash_state is not None
    return (
        pair.crashed
        and both_crashed
        and signature_since(one, restarts(one)) == signature_since(other, restarts(other))
    )


def restarts(history: History) -> int:
    """How often a new process went on with the saga, the look at rest aside."""
    return sum(not event.at_rest for event in history.of(Restarted))
