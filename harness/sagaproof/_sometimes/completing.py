"""A fault that the saga gets over: it comes to its end as if there had been none."""

from __future__ import annotations

from sagaproof._checks.crash import CRASHES
from sagaproof._checks.protocol import Facts
from sagaproof._model.claim import Claim
from sagaproof._model.history import History
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["COMPLETING"]


def _failed(history: History) -> bool:
    return bool(history.plan) and (not history.smooth or history.restarted)


def _completed(history: History) -> bool:
    return history.claim is Claim.COMPLETED


def _is_as_without(history: History) -> bool:
    return history.is_like_twin or history.net == (history.twin or history).net


def _can_get_over_it(facts: Facts) -> bool:
    return Claim.COMPLETED in facts.claims and (facts.retried or not CRASHES.isdisjoint(facts.faults))


COMPLETING = (
    Sometimes(
        "completed-through-a-fault",
        (
            ("a call failed, or the process died", _failed),
            ("the saga completed all the same", _completed),
            ("and left what it leaves without faults", _is_as_without),
        ),
        _can_get_over_it,
    ),
)
