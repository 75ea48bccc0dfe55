"""Calls that a passing failure met from their first attempt until they were given up: how hard was tried."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeVar

from sagaproof._checks.protocol import RunName
from sagaproof._model.event import Told
from sagaproof._model.fault import Applied
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.plan import ALL, Injection

__all__ = ["GivenUp", "Tries", "attempts", "given_up", "join_fewest"]

K = TypeVar("K")

_PASSING: Final = frozenset(
    name
    for name, fault in FAULTS.items()
    if fault.applied is Applied.NO and (fault.family == "outage" or name == "timeout")
)
"""What may be over at the next attempt, and leaves nothing behind: 5xx, refused, timeout, an outage."""


class GivenUp(NamedTuple):
    """A call whose every attempt met one fault, and the fault."""

    call: Call
    fault: str


class Tries(NamedTuple):
    """How often something was tried, in which run, and by which call there."""

    attempts: int
    run: RunName
    call: int

    def fewer(self, other: Tries | None) -> Tries:
        """The one with fewer attempts; of two alike the one with the smaller plan, and then the other."""
        if other is None or (self.attempts, len(self.run[1])) < (other.attempts, len(other.run[1])):
            return self
        return other


def given_up(history: History) -> Iterator[GivenUp]:
    """Each such call. A process that dies or is stopped gives nothing up: its runs have none."""
    lasting = [injection for injection in history.plan if _lasts(injection)]
    if not lasting or history.ending.how == "hung" or any(i.point.restart for i in lasting):
        return
    for injection in lasting:
        call = _met(history, injection)
        if call is not None and not call.ok and _is_whole(call, injection.fault):
            yield GivenUp(call, injection.fault)


def attempts(history: History, call: Call, *, one_key: bool = False) -> int:
    """How often a call was tried before its first success, in the process that tried most.

    Each time that an agent asked for anything is counted by itself.

    Left out are looks that found nothing, for they may be waiting, and what came before the attempt in front
    was told anything: two that mean the same, side by side. With `one_key`, those under another key are
    another intent.
    """
    counts: Counter[object] = Counter()
    free_at = -1
    for arrival in call.arrivals:
        told, called = arrival.told, arrival.called
        if arrival.position < free_at or (call.operation.cls is EffectClass.READ and _found_nothing(told)):
            continue
        free_at = arrival.told_position
        asking = bisect(history.asked_at, arrival.position)
        counts[called.point.restart, called.key if one_key else None, asking] += 1
        if told is not None and told.ok:
            break
    return max(counts.values(), default=0)


def join_fewest(known: dict[K, Tries], later: Mapping[K, Tries]) -> list[K]:
    """Keep the fewest of both, of two alike those that were known; returns where that is the later one."""
    found = []
    for at, tries in later.items():
        fewest = tries.fewer(known.get(at))
        if fewest is tries:
            found.append(at)
        known[at] = fewest
    return found


def _found_nothing(told: Told | None) -> bool:
    return told is not None and told.status == 404


def _lasts(injection: Injection) -> bool:
    lasts = injection.times == ALL or FAULTS[injection.fault].macro
    return injection.fault in _PASSING and lasts and injection.point.attempt == 1


def _met(history: History, injection: Injection) -> Call | None:
    return next((call for call in history.calls if call.first.point == injection.point), None)


def _is_whole(call: Call, fault: str) -> bool:
    """Whether every attempt met the fault, in one process, and was told of it."""
    return all(
        arrival.called.fault == fault and arrival.called.point.restart == 0 and arrival.told is not None
        for arrival in call.arrivals
    )
