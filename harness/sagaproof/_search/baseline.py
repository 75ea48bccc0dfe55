"""The run without a fault: it must be the same twice, and should be one that completes."""

from __future__ import annotations

from sagaproof._model.claim import Claim
from sagaproof._model.history import History
from sagaproof._model.steady import alike
from sagaproof.errors import NotDeterministic

__all__ = ["not_green", "raised", "require_same"]


def require_same(first: History, second: History) -> None:
    """Raise `NotDeterministic` with the first event that differs."""
    for number, (one, other) in enumerate(zip(first.events, second.events, strict=False)):
        if not alike(one, other):
            raise _differ(f"at event {number}: {one} against {other}")
    if len(first.events) != len(second.events):
        longer = max(first.events, second.events, key=len)
        extra = longer[min(len(first.events), len(second.events))]
        raise _differ(f": one goes on with {extra}")


def not_green(history: History) -> str:
    """Why a run to its own end does not complete even without a fault; empty if it does.

    It is no finding: the saga may be meant to refuse. But most often the set-up lacks something, and the
    forward path is then hardly explored at all.
    """
    if history.claim is Claim.COMPLETED or history.script.give_up_after is not None:
        return ""
    said = "did not end" if history.claim is None else f"ended as {history.claim}"
    failed = next((a.told for c in history.calls for a in c.arrivals if a.told and not a.told.ok), None)
    why = (
        ""
        if failed is None
        else f": {failed.point} was told {failed.status or failed.learnt}{_words(failed.body)}"
    )
    return f"without any fault the saga {said}{why}. Is the world set up for it?"


def raised(history: History) -> str:
    """What a run without a fault raised, and where; empty if it raised nothing."""
    ending = history.ending
    if ending.how != "raised" or not ending.errors:
        return ""
    newest = ending.errors[0]
    where = f" ({ending.where})" if ending.where else ""
    return f"without any fault the test raised {newest.type}: {newest.text}{where}. Mend that first"


def _words(body: object) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return f", {message}" if message else ""


def _differ(how: str) -> NotDeterministic:
    return NotDeterministic(
        f"two runs without a fault differ {how}",
        advice="Inject clock, ids and randomness, or seed them in the test body.",
    )
