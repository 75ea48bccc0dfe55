"""`terminates`: a saga comes to an end by itself."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, Facts, Verdict, violated
from sagaproof._checks.say import asked_for
from sagaproof._model.history import History

__all__ = ["Terminates"]


class Terminates:
    """Termination (O1): within the limits of a run, the saga says something of itself or raises."""

    slug = "terminates"

    def applies(self, _facts: Facts) -> bool:
        """Applies to every saga."""
        return True

    def judge(self, history: History) -> Verdict:
        """Judge how the run ended."""
        if history.ending.how != "hung":
            return HELD
        last = history.calls[-1] if history.calls else None
        return violated(
            f"the saga did not end by itself: it {history.ending.where or 'never came to its end'}",
            because="" if last is None else f"the last call that it began was {asked_for(last)}",
            calls=[] if last is None else [last.index],
        )
