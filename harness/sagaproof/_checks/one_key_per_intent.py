"""`one-key-per-intent`: all attempts of one call carry one key, and no other call carries it."""

from __future__ import annotations

from sagaproof._checks.answers import is_definite, told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, call_text, site_text
from sagaproof._model.history import Arrival, Call, History

__all__ = ["OneKeyPerIntent"]


class OneKeyPerIntent:
    """Key discipline (O29).

    When a call is made again although its earlier attempt may have taken effect, it carries the same key;
    under one key the parameters are the same; and no two calls of one system share a key. An undo that names
    a key refers to it and does not use it. After a definite refusal a new key is a new intent. Reached when a
    call with a key was made more than once; a call that never has a key is not judged.
    """

    slug = "one-key-per-intent"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: to sagas that send keys and try again."""
        return False

    def judge(self, history: History) -> Verdict:
        """Judge the keys of each call, then of all calls together."""
        reached = False
        owners: dict[tuple[str, str], Call] = {}
        for call in history.calls:
            if not call.operation.writes:
                continue
            if len(call.arrivals) > 1 and any(call.keys) and not history.is_usual_twice(call):
                reached = True
                verdict = _judge_attempts(history, call)
                if verdict is not None:
                    return verdict
            for arrival in call.arrivals:
                key = arrival.called.key
                if key is None:
                    continue
                owner = owners.setdefault((call.operation.system, key), call)
                if owner is not call:
                    return _shared(owner, call, key)
        return HELD if reached else NOT_REACHED


def _judge_attempts(history: History, call: Call) -> Verdict | None:
    seen: dict[str, object] = {}
    for number, arrival in enumerate(call.arrivals):
        key = arrival.called.key
        if number:
            before = call.arrivals[number - 1]
            was_definite = before.told is not None and is_definite(before.told)
            if key == before.called.key or was_definite:
                pass
            elif not _is_shut(history, call.operation.system, before.called.key, arrival.position):
                return _changed(call, before, key)
        if key is not None and seen.setdefault(key, arrival.called.args) != arrival.called.args:
            return violated(
                f"key {key!r} was used again for {call_text(call)} with other parameters",
                because=f"attempt {number + 1}{site_text(arrival.called)} is not like the first",
                calls=[call.index],
            )
    return None


def _is_shut(history: History, system: str, key: str | None, at: int) -> bool:
    """Whether what had that key was undone or fenced off by it: from there on nothing can come of it."""
    return key is not None and any(
        undo.first.args.get("by_key") == key
        and undo.operation.system == system
        and undo.ok
        and 0 <= undo.answered < at
        for undo in history.calls
    )


def _changed(call: Call, before: Arrival, key: str | None) -> Verdict:
    instead = f"{_key_text(key)} instead of {_key_text(before.called.key)}"
    return violated(
        f"{call_text(call)} was made again with {instead}",
        because=f"the attempt before{site_text(before.called)} was told '{told_text(before.told)}' "
        "and may have taken effect",
        calls=[call.index],
    )


def _shared(owner: Call, other: Call, key: str) -> Verdict:
    return violated(
        f"key {key!r} was used for two different calls, {call_text(owner)} and {call_text(other)}",
        because=f"{asked_for(other)} carries the key of {asked_for(owner)}",
        calls=[other.index, owner.index],
    )


def _key_text(key: str | None) -> str:
    return "no key" if key is None else f"key {key!r}"
