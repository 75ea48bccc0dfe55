"""Whether the attempts of an undo are taken from those of the way there: a comparison over all runs."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Verdict, violated
from sagaproof._checks.say import times_text
from sagaproof._checks.tries import GivenUp, Tries, given_up, join_fewest
from sagaproof._model.history import History
from sagaproof._model.point import Phase

__all__ = ["Budgets"]


class Budgets:
    """The fewest attempts of each undo under each fault: where calls were tried again before, and where not.

    An outage is left out: whoever has met it on the way there may know of it by the time of the undo.
    """

    def __init__(self) -> None:
        self._after: dict[tuple[str, bool, str], Tries] = {}
        self._fresh: dict[tuple[str, bool, str], Tries] = {}

    def observe(self, history: History) -> None:
        """Take in the undos that were given up in one run."""
        for given in given_up(history):
            if given.fault == "outage" or not _takes_back_a_success(given, history):
                continue
            undo = given.call
            at = (undo.operation.full, "by_key" in undo.first.args, given.fault)
            found = self._after if _was_retried_before(undo.started, history) else self._fresh
            tries = Tries(len(undo.arrivals), (history.script.name, history.plan), undo.index)
            found[at] = tries.fewer(found.get(at))

    def join(self, later: Budgets) -> None:
        """Take in what was seen of the runs that came next."""
        join_fewest(self._after, later._after)
        join_fewest(self._fresh, later._fresh)

    def conclude(self) -> Verdict:
        """Compare; of several undos the one with the smallest plan is shown."""
        both = [at for at in self._after if at in self._fresh]
        worse = [at for at in both if self._after[at].attempts < self._fresh[at].attempts]
        if not worse:
            return HELD if both else NOT_REACHED
        at = min(worse, key=lambda at: (len(self._after[at].run[1]), worse.index(at)))
        after, fresh = self._after[at], self._fresh[at]
        return violated(
            f"gave {at[0]} up after {times_text(after.attempts)} where calls had been tried again before it, "
            f"but after {fresh.attempts} where none had",
            because=f"under plan '{fresh.run[1]}' it gets {times_text(fresh.attempts)}, told the same: "
            "the way there has used up what was meant for the way back",
            calls=[after.call],
            run=after.run,
            beside=fresh.run,
        )


def _takes_back_a_success(given: GivenUp, history: History) -> bool:
    undo = given.call
    if undo.phase is not Phase.UNDO or undo.undoes is None or undo.undoes.call is None:
        return False
    return history.calls[undo.undoes.call].ok and undo in history.undo_calls


def _was_retried_before(position: int, history: History) -> bool:
    return any(
        call.phase is Phase.FORWARD and len(call.arrivals) > 1 and call.arrivals[1].position < position
        for call in history.calls
    )
