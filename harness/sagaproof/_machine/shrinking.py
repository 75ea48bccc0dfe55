"""Making a failing script and plan small: first the plan by subset, then the script, then the faults.

A step that is dropped shifts the counts of all that come later, so faults are not kept by their points: they
are bound again to a point of the same class, in the run of the smaller script.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from sagaproof._machine.references import is_whole
from sagaproof._machine.trials import Trial, Trials, classes_by_point
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.script import AfterRestart, IfFailed, OtherWrite, Script, ToolCall, Turn, Wait, calls_of

__all__ = ["shrunk"]

_RUNS_MAX: Final = 3000

T = TypeVar("T")

Fails = Callable[[Trial], bool]


def shrunk(trials: Trials, trial: Trial, fails: Fails) -> Trial:
    """The smallest that was found to fail in the same way; the trial itself if nothing smaller does."""
    return _Shrinking(trials, fails).of(trial)


class _Shrinking:
    def __init__(self, trials: Trials, fails: Fails) -> None:
        self._trials = trials
        self._fails = fails
        self._last_run = trials.runs + _RUNS_MAX

    def of(self, trial: Trial) -> Trial:
        while True:
            smaller = self._plan(trial)
            smaller = self._script(smaller)
            smaller = self._faults(smaller)
            if smaller is trial:
                return trial
            trial = smaller

    @property
    def _is_tired(self) -> bool:
        return self._trials.runs > self._last_run

    def _plan(self, trial: Trial) -> Trial:
        """By subset: the smallest part of the plan that fails by itself."""
        twin = self._trials.fault_free(trial.script)
        for part in trial.plan.proper_subsets():
            # Each part can be met: without the other fault its point may be gone, and then it is no part.
            found = self._tried(trial.script, part, twin)
            if found is not None:
                return found
        return trial

    def _tried(self, script: Script, plan: Plan, twin: History) -> Trial | None:
        history = twin
        if plan:
            bound = _met_one_by_one(self._trials, script, plan, twin)
            if bound is None:
                return None
            history = bound
        found = self._trials.judged(history)
        return found if self._fails(found) else None

    def _script(self, trial: Trial) -> Trial:
        """One step less, until none can be spared."""
        while not self._is_tired:
            smaller = next(filter(None, (self._rebound(trial, s) for s in _simpler(trial.script))), None)
            if smaller is None:
                return trial
            trial = smaller
        return trial

    def _rebound(self, trial: Trial, script: Script) -> Trial | None:
        """The trial with another script, its faults at points of the same class as before."""
        if self._is_tired or not is_whole(script):
            return None
        twin = self._trials.fault_free(script)
        classes = classes_by_point(trial.history)
        history, plan = twin, EMPTY
        for injection in sorted(trial.plan, key=lambda one: list(classes).index(one.point)):
            found = self._like(injection, trial.history, history)
            if found is None:
                return None
            plan = plan.plus(found)
            history = self._trials.run(script, plan, twin)
        found_trial = self._trials.judged(history)
        return found_trial if self._fails(found_trial) else None

    def _like(self, injection: Injection, before: History, now: History) -> Injection | None:
        """The same fault at a point of the same class: as many of that class before it, else the last."""
        classes, known = classes_by_point(before), classes_by_point(now)
        wanted = classes[injection.point]
        rank = [point for point, of in classes.items() if of == wanted].index(injection.point)
        fitting = [
            one
            for place in self._trials.places(now)
            if known.get(place.point) == wanted
            for one in place.fitting
            if (one.fault, one.times) == (injection.fault, injection.times)
        ]
        passed = sum(1 for point, of in known.items() if of == wanted) - len(fitting)
        return fitting[max(0, min(rank - max(0, passed), len(fitting) - 1))] if fitting else None

    def _faults(self, trial: Trial) -> Trial:
        """A simpler fault at the same point, if that fails as well."""
        twin = self._trials.fault_free(trial.script)
        for injection in trial.plan:
            rest = Plan(one for one in trial.plan if one != injection)
            for fault, times in self._trials.kinds:
                other = injection._replace(fault=fault, times=times)
                if other.cost >= injection.cost or self._is_tired:
                    continue
                found = self._tried(trial.script, rest.plus(other), twin)
                if found is not None:
                    return found
        return trial


def _met_one_by_one(trials: Trials, script: Script, plan: Plan, twin: History) -> History | None:
    """The run of a plan whose points may not all be there, or take its faults; None if so."""
    history, made, left = twin, EMPTY, list(plan)
    while left:
        there = {one for place in trials.places(history) for one in place.fitting}
        found = next((one for one in left if one in there), None)
        if found is None:
            return None
        left.remove(found)
        made = made.plus(found)
        history = trials.run(script, made, twin)
    return history


def _simpler(script: Script) -> Iterator[Script]:
    """Every script with one thing less, what makes it shortest first."""
    if script.afterwards:
        for i in range(len(script.afterwards)):
            yield replace(script, afterwards=_without(script.afterwards, i))
    if script.after_restart is not AfterRestart.GO_ON:
        yield replace(script, after_restart=AfterRestart.GO_ON)
        if isinstance(script.after_restart, tuple):
            yield replace(script, after_restart=AfterRestart.GIVE_UP)
            for i in range(len(script.after_restart) if len(script.after_restart) > 1 else 0):
                yield replace(script, after_restart=_without(script.after_restart, i))
    for i in reversed(range(len(script.calls))):
        yield _cut(script, i)
    for i, turn in enumerate(script.calls):
        for other in _simpler_turns(turn):
            yield replace(script, calls=(*script.calls[:i], other, *script.calls[i + 1 :]))
    if script.give_up_after is not None:
        yield replace(script, give_up_after=None)


def _cut(script: Script, i: int) -> Script:
    after = script.give_up_after
    if after is not None and i < after:
        after -= 1
    return replace(script, calls=_without(script.calls, i), give_up_after=after or None)


def _simpler_turns(turn: Turn) -> Iterator[Turn]:
    if isinstance(turn, Wait | OtherWrite):
        return
    if not isinstance(turn, ToolCall):
        for i in range(len(turn)):
            rest = _without(turn, i)
            yield rest[0] if len(rest) == 1 else rest
        for i, call in enumerate(turn):
            if call.tolerates:
                yield (*turn[:i], call._replace(if_failed=IfFailed.GIVE_UP), *turn[i + 1 :])
        return
    if turn.tolerates:
        yield turn._replace(if_failed=IfFailed.GIVE_UP)
        if isinstance(turn.if_failed, tuple):
            yield turn._replace(if_failed=IfFailed.GO_ON)
            inner = [other for call in turn.if_failed for other in _simpler_turns(call)]
            for other in inner:
                yield turn._replace(if_failed=tuple(calls_of(other)))


def _without(these: tuple[T, ...], i: int) -> tuple[T, ...]:
    return (*these[:i], *these[i + 1 :])
