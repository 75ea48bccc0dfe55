"""`undo-tries-as-hard`: an undo is tried at least as often as the call that it takes back."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, RunName, Verdict, violated
from sagaproof._checks.say import times_text
from sagaproof._checks.tries import GivenUp, Tries, attempts, given_up, join_fewest
from sagaproof._model.history import History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase

__all__ = ["UndoTriesAsHard"]


class UndoTriesAsHard:
    """The undo is no poor relation.

    Under a failure that may pass (5xx, refused, timeout, an outage) and lasts until the caller gives up, the
    undo of a call of class 3 or 4 gets at least as many attempts as that call itself gets under the same
    failure, in whichever run of the campaign; what an agent asks for again is counted anew. What another undo
    of the same effect then achieved counts in its favour. Reached when one kind of failure met both until
    they were given up.
    """

    slug = "undo-tries-as-hard"
    faults_needed = 2

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: not every saga gives both up."""
        return False

    def begin(self) -> Attempts:
        """The attempts of a new campaign."""
        return Attempts()


class Attempts:
    """The fewest attempts of calls and of their undos, by operation of the call and kind of fault."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], Tries] = {}
        self._undos: dict[tuple[str, str], Tries] = {}
        self._undo_names: dict[tuple[str, str], str] = {}

    def observe(self, history: History) -> None:
        """Take in what was given up in one run."""
        run = (history.script.name, history.plan)
        for given in given_up(history):
            if given.call.phase is Phase.FORWARD and not history.is_usual_twice(given.call):
                self._observe_call(given, history, run)
            elif given.call.phase is Phase.UNDO:
                self._observe_undo(given, history, run)

    def _observe_call(self, given: GivenUp, history: History, run: RunName) -> None:
        operation = given.call.operation
        if operation.cls >= EffectClass.REVERSIBLE and not operation.undoes:
            at = (operation.full, given.fault)
            tries = Tries(attempts(history, given.call, one_key=True), run, given.call.index)
            self._calls[at] = tries.fewer(self._calls.get(at))

    def _observe_undo(self, given: GivenUp, history: History, run: RunName) -> None:
        target = None if given.call.undoes is None else given.call.undoes.call
        undos = () if target is None else history.undos_of.get(target, ())
        if target is None or given.call not in undos or any(undo.ok for undo in undos):
            return
        operation = history.calls[target].operation
        if operation.cls not in {EffectClass.REVERSIBLE, EffectClass.COMPENSABLE}:
            return
        at = (operation.full, given.fault)
        tries = Tries(sum(len(undo.arrivals) for undo in undos), run, given.call.index)
        fewest = self._undos[at] = tries.fewer(self._undos.get(at))
        if fewest is tries:
            self._undo_names[at] = given.call.operation.full

    def join(self, later: Attempts) -> None:
        """Take in what was seen of the runs that came next."""
        join_fewest(self._calls, later._calls)
        for at in join_fewest(self._undos, later._undos):
            self._undo_names[at] = later._undo_names[at]

    def conclude(self) -> Verdict:
        """Compare; of several undos that are not tried as hard, the one with the smallest plan is shown."""
        both = [at for at in self._undos if at in self._calls]
        worse = [at for at in both if self._undos[at].attempts < self._calls[at].attempts]
        if not worse:
            return HELD if both else NOT_REACHED
        return self._violated(min(worse, key=lambda at: (len(self._undos[at].run[1]), worse.index(at))))

    def _violated(self, at: tuple[str, str]) -> Verdict:
        operation, fault = at
        call, undo = self._calls[at], self._undos[at]
        return violated(
            f"gave the undo of {operation} up after {times_text(undo.attempts)}, "
            f"but tries {operation} itself {times_text(call.attempts)}",
            because=f"{self._undo_names[at]} met the same failure, {fault} until given up, "
            f"as {operation} does under plan '{call.run[1]}'",
            calls=[undo.call],
            run=undo.run,
            beside=call.run,
        )
