"""`reverse-order`: undos are invoked in the reverse order of what they take back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import combinations
from typing import NamedTuple

from sagaproof._checks.agent_steps import steps_of
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.event import Answered, Asked, Died
from sagaproof._model.history import Call, History

__all__ = ["ReverseOrder"]


class ReverseOrder:
    """Reverse order (O16), by invocation and not by landing.

    If the answer to one call came before another was first made, and both took effect, then the undo of the
    later one is first invoked before that of the earlier one. Overlapping calls are free, and so are those of
    one turn of the agent, and what was undone before the other call was even made. Reached with one such pair
    whose undos were both invoked.

    `independent` holds pairs of glob patterns on full operation names: the order of two that match, either
    way, does not matter.
    """

    slug = "reverse-order"

    def __init__(self, independent: Iterable[tuple[str, str]] = ()) -> None:
        self._independent = tuple(independent)

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas of which two steps that follow one another were ever undone."""
        return facts.undone_in_order

    def judge(self, history: History) -> Verdict:
        """Judge each ordered pair."""
        if len(history.undos_of) < 2:
            return NOT_REACHED
        steps = [
            _Step(history.calls[target], min(undos, key=_started))
            for target, undos in history.undos_of.items()
            if any(e.undoes is None and not history.is_hollow(e) for e in history.calls[target].effects)
        ]
        steps.sort(key=lambda step: step.call.started)
        reached = False
        for earlier, later in combinations(steps, 2):
            if not _is_ordered(earlier, later) or self._is_free(earlier.call, later.call):
                continue
            if earlier.undo.started < later.undo.started:
                if _are_of_one_turn(history, earlier.call, later.call):
                    continue
                return _out_of_order(earlier, later)
            reached = True
        return HELD if reached else NOT_REACHED

    def _is_free(self, one: Call, other: Call) -> bool:
        a, b = one.operation.full, other.operation.full
        return any(
            (fnmatchcase(a, x) and fnmatchcase(b, y)) or (fnmatchcase(a, y) and fnmatchcase(b, x))
            for x, y in self._independent
        )


class _Step(NamedTuple):
    """A forward call that took effect, and the first call that was meant to take it back."""

    call: Call
    undo: Call


def _started(call: Call) -> int:
    return call.started


def _is_ordered(earlier: _Step, later: _Step) -> bool:
    began = later.call.started
    return 0 <= earlier.call.answered < began < earlier.undo.started


def _are_of_one_turn(history: History, one: Call, other: Call) -> bool:
    """Whether the agent asked for both at once: whichever happens to be first, it has not put them in order.

    What one of its steps does by and by is in the order of that step.
    """
    is_of_one_step = any(one in step.calls and other in step.calls for step in steps_of(history))
    return not is_of_one_step and any(
        began < one.started < ended and began < other.started < ended for began, ended in _turns(history)
    )


def _turns(history: History) -> Iterator[tuple[int, int]]:
    """The stretches in which several steps of the agent are at work that it asked for at once."""
    asked: list[int] = []
    waiting: set[int] = set()
    for at, event in enumerate(history.events):
        if isinstance(event, Asked):
            asked = [*asked, at] if waiting else [at]
            waiting.add(event.step)
        elif isinstance(event, Answered | Died):
            waiting -= {event.step} if isinstance(event, Answered) else set(waiting)
            if not waiting and len(asked) > 1:
                yield asked[0], at
                asked = []


def _out_of_order(earlier: _Step, later: _Step) -> Verdict:
    first, second = earlier.call.effects[0], later.call.effects[0]
    return violated(
        f"{effect_text(first)} was undone before {effect_text(second)}, which was made after it",
        because=f"{asked_for(earlier.undo)} was invoked before {asked_for(later.undo)}",
        calls=[earlier.undo.index, later.undo.index],
    )
